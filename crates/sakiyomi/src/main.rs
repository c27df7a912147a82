//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    serve_and_give_memory_back();
    ExitCode::from(sakiyomi::cli::run(std::env::args_os()))
}

/// A server gives the memory of trees back to the system. The system's allocator gets large blocks
/// from the system one by one, but what counts as large grows with the first large block that is
/// freed: from then on trees lie between small things and leave holes. A size that is set does not
/// grow. It is read when a process begins, so a server is begun once more in its own place.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn serve_and_give_memory_back() {
    use std::os::unix::process::CommandExt;
    use std::{env, process};
    const THRESHOLD: &str = "MALLOC_MMAP_THRESHOLD_";
    let is_server = env::args_os().nth(1).is_some_and(|command| command == "serve");
    if !is_server || env::var_os(THRESHOLD).is_some() {
        return;
    }
    if let Ok(program) = env::current_exe() {
        let mut again = process::Command::new(program);
        again.args(env::args_os().skip(1)).env(THRESHOLD, (256 << 10).to_string());
        // Comes back only if it fails; then the server takes more memory.
        let _ = again.exec();
    }
}
