//! The reader of KIF, prefix notation in parentheses: tokens and lists, whatever they mean.

use std::fmt;

/// Where something stands in the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// All expressions of a text.
pub(crate) fn read(text: &str) -> Result<Vec<Expression<'_>>, Fault> {
    Reader { text, at: 0 }.all()
}

/// A token or a list of expressions, as it stands in the text.
#[derive(Clone, Debug)]
pub(crate) enum Expression<'a> {
    Token(&'a str, Span),
    List(Vec<Expression<'a>>, Span),
}

impl<'a> Expression<'a> {
    pub(crate) fn span(&self) -> Span {
        match self {
            Expression::Token(_, span) | Expression::List(_, span) => *span,
        }
    }

    /// The token, if it is no list.
    pub(crate) fn token(&self) -> Option<&'a str> {
        match self {
            Expression::Token(token, _) => Some(token),
            Expression::List(..) => None,
        }
    }

    /// The items, if it is a list.
    pub(crate) fn list(&self) -> Option<&[Expression<'a>]> {
        match self {
            Expression::Token(..) => None,
            Expression::List(items, _) => Some(items),
        }
    }
}

impl fmt::Display for Expression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Token(token, _) => f.write_str(token),
            Expression::List(items, _) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    f.write_str(if i > 0 { " " } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Something wrong at a place.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) problem: String,
    pub(crate) remedy: &'static str,
}

impl Fault {
    pub(crate) fn new(span: Span, problem: impl Into<String>, remedy: &'static str) -> Fault {
        Fault { span, problem: problem.into(), remedy }
    }
}

/// How deep lists may nest. Public sheets reach 27.
const MAX_DEPTH: usize = 500;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn all(mut self) -> Result<Vec<Expression<'a>>, Fault> {
        let mut open: Vec<(usize, Vec<Expression<'a>>)> = Vec::new();
        let mut done = Vec::new();
        while let Some((token, span)) = self.token() {
            let finished = match token {
                "(" => {
                    if open.len() == MAX_DEPTH {
                        return Err(Fault::new(span, "lists nest too deep", "flatten the rules"));
                    }
                    open.push((span.start as usize, Vec::new()));
                    continue;
                }
                ")" => match open.pop() {
                    Some((start, items)) => {
                        Expression::List(items, Span { start: start as u32, end: span.end })
                    }
                    None => {
                        return Err(Fault::new(
                            span,
                            "a closing parenthesis without an opening one",
                            "remove it or open a list before it",
                        ));
                    }
                },
                token => Expression::Token(token, span),
            };
            match open.last_mut() {
                Some((_, items)) => items.push(finished),
                None => done.push(finished),
            }
        }
        match open.pop() {
            Some((start, _)) => Err(Fault::new(
                Span { start: start as u32, end: self.text.len() as u32 },
                "a list that is never closed",
                "add the missing closing parenthesis",
            )),
            None => Ok(done),
        }
    }

    fn token(&mut self) -> Option<(&'a str, Span)> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b';' => {
                    while !matches!(bytes.get(self.at), None | Some(b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                byte if is_space(*byte) => self.at += 1,
                _ => break,
            }
        }
        let start = self.at;
        self.at += 1;
        if !matches!(bytes[start], b'(' | b')') {
            while bytes
                .get(self.at)
                .is_some_and(|&byte| !is_space(byte) && !matches!(byte, b'(' | b')' | b';'))
            {
                self.at += 1;
            }
        }
        let span = Span { start: start as u32, end: self.at as u32 };
        // Token ends stand before ASCII bytes or at the end, so they are boundaries of characters.
        self.text.get(start..self.at).map(|token| (token, span))
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

/// Where every line starts.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (i, &byte) in bytes.iter().enumerate() {
        let carriage_return = byte == b'\r' && bytes.get(i + 1) != Some(&b'\n');
        if byte == b'\n' || carriage_return {
            starts.push(i as u32 + 1);
        }
    }
    starts
}
