//! Whether the lengths in an ONNX file are possible. The crate that reads networks follows any length, also
//! one that leads backwards, and then never ends; so a damaged file is refused before it is handed over.
//!
//! A file is a message of protocol buffers: fields with a number, a wire type and a value, of which some are
//! messages themselves. <https://protobuf.dev/programming-guides/encoding> has the format, and onnx.proto the
//! numbers.

/// Messages inside of each other; a graph in an attribute of a node of a graph is the deepest that is usual.
const MAX_DEPTH: usize = 40;

/// Checks a whole file.
pub(crate) fn check_lengths(bytes: &[u8]) -> Result<(), &'static str> {
    check(bytes, Message::Model, MAX_DEPTH)
}

/// Kinds of messages that have messages in them, and all others.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    ValueInfo,
    Type,
    TensorType,
    Shape,
    Plain,
}

impl Message {
    /// The kind of message that stands in a field, if it is one.
    fn part(self, field: u64) -> Option<Message> {
        Some(match (self, field) {
            (Message::Model, 7) => Message::Graph,
            (Message::Model, 8 | 14) => Message::Plain,
            (Message::Graph, 1) => Message::Node,
            (Message::Graph, 5) => Message::Plain,
            (Message::Graph, 11..=13) => Message::ValueInfo,
            (Message::Node, 5) => Message::Attribute,
            (Message::Attribute, 5 | 10) => Message::Plain,
            (Message::Attribute, 6 | 11) => Message::Graph,
            (Message::Attribute, 14 | 15) | (Message::ValueInfo, 2) => Message::Type,
            (Message::Type, 1 | 4) => Message::TensorType,
            // An element of a sequence stands where a tensor has the number of its type.
            (Message::TensorType, 1) => Message::Type,
            (Message::TensorType, 2) => Message::Shape,
            (Message::Shape, 1) => Message::Plain,
            _ => return None,
        })
    }
}

fn check(mut bytes: &[u8], message: Message, depth: usize) -> Result<(), &'static str> {
    if depth == 0 {
        return Err("has messages that are nested too deeply");
    }
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let length = match tag & 7 {
            0 => {
                varint(&mut bytes)?;
                0
            }
            1 => 8,
            2 => {
                let length = varint(&mut bytes)?;
                usize::try_from(length).unwrap_or(usize::MAX)
            }
            5 => 4,
            // Groups have no length; nothing has used them for long.
            _ => return Err("has fields of a kind that ONNX does not have"),
        };
        let value = bytes.get(..length).ok_or("has a field that is longer than the file")?;
        if tag & 7 == 2
            && let Some(part) = message.part(tag >> 3)
        {
            check(value, part, depth - 1)?;
        }
        bytes = &bytes[length..];
    }
    Ok(())
}

/// Takes a number off the start: 7 bits in each byte, the lowest first, and the last without the highest bit.
fn varint(bytes: &mut &[u8]) -> Result<u64, &'static str> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            *bytes = &bytes[i + 1..];
            return Ok(value);
        }
    }
    Err("has a number that does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: &[u8] = include_bytes!("../../../tests/networks/tic-tac-toe.onnx");

    #[test]
    fn a_length_that_leads_out_of_the_file_is_refused() {
        assert_eq!(check_lengths(NETWORK), Ok(()));
        assert_eq!(check_lengths(b""), Ok(()));
        // Field 7, the graph, of 2^64 - 11 bytes: after it and its length, back at the start.
        let back = [0x3a, 0xf5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(check_lengths(&back), Err("has a field that is longer than the file"));
        let endless = [0xff; 12];
        assert_eq!(check_lengths(&endless), Err("has a number that does not end"));
        for end in 1..NETWORK.len() {
            let _ = check_lengths(&NETWORK[..end]);
        }
    }

    #[test]
    fn graphs_in_graphs_have_a_limit() {
        let mut graph: Vec<u8> = Vec::new();
        for _ in 0..20 {
            // An attribute with a graph, in a node, in a graph; lengths of two bytes.
            for tag in [6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2] {
                let length = [graph.len() as u8 | 0x80, (graph.len() >> 7) as u8];
                graph = [&[tag], &length[..], &graph].concat();
            }
        }
        let length = [graph.len() as u8 | 0x80, (graph.len() >> 7) as u8];
        let model = [&[7 << 3 | 2], &length[..], &graph].concat();
        assert_eq!(check_lengths(&model), Err("has messages that are nested too deeply"));
    }
}
