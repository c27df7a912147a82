//! Texts from outside as a terminal may show them.

/// The text with every control character replaced: what a peer or a program says must not move the
/// cursor, change colours or clear the screen of the one who reads it.
pub fn printable(text: &str) -> String {
    // Marks of writing direction are no control characters, but turn the rest of a line around.
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced_and_letters_stay() {
        assert_eq!(printable("\x1b[2Jme\r\n\u{9b}31m"), "\u{fffd}[2Jme\u{fffd}\u{fffd}\u{fffd}31m");
        assert_eq!(printable("abc\u{202e}txt"), "abc\u{fffd}txt");
        assert_eq!(printable("先読み é 1"), "先読み é 1");
    }
}
