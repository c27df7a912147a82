//! Files of a run with a checksum, so that damage is found and not taken for results.

use std::borrow::Cow;

use sakiyomi_core::hash::fnv1a_64;

const START: &[u8] = b"{\"checksum\":\"";
const END: &[u8] = b"\",";
const DIGITS: usize = 16;

/// The text of a JSON object with its checksum as the first field.
pub(crate) fn seal(object: &str) -> String {
    let fields = object.strip_prefix('{').unwrap_or(object);
    format!("{{\"checksum\":\"{:016x}\",{fields}", fnv1a_64(object.as_bytes()))
}

/// The object without its checksum, if it is the one that was sealed. Files of versions that wrote
/// no checksum are taken as they are.
pub(crate) fn unseal(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let Some((digits, rest)) = bytes.strip_prefix(START).and_then(|it| it.split_at_checked(DIGITS))
    else {
        return Ok(Cow::Borrowed(bytes));
    };
    let fields = rest.strip_prefix(END).ok_or("its checksum cannot be read")?;
    let object = [b"{", fields].concat();
    match digits == format!("{:016x}", fnv1a_64(&object)).as_bytes() {
        true => Ok(Cow::Owned(object)),
        false => Err("it is damaged: its checksum does not fit".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_found() {
        let object = r#"{"a":[1,2,3],"b":"c"}"#;
        let sealed = seal(object);
        assert_eq!(*unseal(sealed.as_bytes()).unwrap(), *object.as_bytes());
        assert_eq!(*unseal(object.as_bytes()).unwrap(), *object.as_bytes());
        let value: serde_json::Value = serde_json::from_str(&sealed).unwrap();
        assert_eq!(value["a"][2], 3, "it is still JSON");
        for at in START.len()..sealed.len() {
            let mut damaged = sealed.clone().into_bytes();
            damaged[at] ^= 1;
            assert!(unseal(&damaged).is_err(), "{at}");
        }
    }
}
