//! The machine on which results by time are played.

use std::sync::LazyLock;
use std::{fs, thread};

/// The processor and its number of cores: `AMD EPYC 7763 64-Core Processor, 2 cores`.
pub(crate) fn machine() -> &'static str {
    static MACHINE: LazyLock<String> = LazyLock::new(|| {
        let known = fs::read_to_string("/proc/cpuinfo").ok();
        let model = known.as_deref().and_then(model_name).unwrap_or(std::env::consts::ARCH);
        // Marks of fingerprints begin with this sign, and lines separate the parts of a key.
        let model = model.replace(['+', '\n', '@'], " ");
        format!("{model}, {} cores", thread::available_parallelism().map_or(1, usize::from))
    });
    &MACHINE
}

/// The name of the processor as Linux writes it.
fn model_name(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_a_name() {
        let text = "processor\t: 0\nmodel name\t: Fast 9000 @ 3 GHz\ncache size\t: 1 KB\n";
        assert_eq!(model_name(text), Some("Fast 9000 @ 3 GHz"));
        assert_eq!(model_name("processor\t: 0\n"), None);
        assert!(machine().ends_with(" cores") && !machine().contains(['+', '@', '\n']));
    }
}
