//! Hashes that are written down: FNV-1a, whose values are the same on every platform and with every
//! version of the compiler and of the libraries. They find damage and tell contents apart; they are
//! no protection against someone who makes two contents collide.

const OFFSET_64: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME_64: u64 = 0x0000_0100_0000_01b3;
const OFFSET_128: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME_128: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The 64-bit FNV-1a hash of the bytes.
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    let mut hash = Fnv64::default();
    hash.write(bytes);
    hash.finish()
}

/// The 128-bit FNV-1a hash of the bytes.
pub fn fnv1a_128(bytes: &[u8]) -> u128 {
    let mut hash = Fnv128::default();
    hash.write(bytes);
    hash.finish()
}

/// FNV-1a with 64 bits, of bytes that come one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv64(u64);

/// FNV-1a with 128 bits, of bytes that come one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv128(u128);

impl Default for Fnv64 {
    fn default() -> Fnv64 {
        Fnv64(OFFSET_64)
    }
}

impl Default for Fnv128 {
    fn default() -> Fnv128 {
        Fnv128(OFFSET_128)
    }
}

impl Fnv64 {
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME_64);
        }
    }

    /// Writes the length before the bytes, so that fields cannot run into each other.
    pub fn write_field(&mut self, bytes: &[u8]) {
        self.write(&(bytes.len() as u64).to_le_bytes());
        self.write(bytes);
    }

    pub fn finish(self) -> u64 {
        self.0
    }
}

impl Fnv128 {
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME_128);
        }
    }

    /// Writes the length before the bytes, so that fields cannot run into each other.
    pub fn write_field(&mut self, bytes: &[u8]) {
        self.write(&(bytes.len() as u64).to_le_bytes());
        self.write(bytes);
    }

    pub fn finish(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that the authors of FNV publish.
    #[test]
    fn published_vectors() {
        let vectors_64 = [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("b", 0xaf63_df4c_8601_f1a5),
            ("foo", 0xdcb2_7518_fed9_d577),
            ("foobar", 0x8594_4171_f739_67e8),
            ("chongo was here!\n", 0x4681_0940_eff5_f915),
        ];
        for (text, hash) in vectors_64 {
            assert_eq!(fnv1a_64(text.as_bytes()), hash, "{text:?}");
        }
        let vectors_128 = [
            ("", 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d),
            ("a", 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964),
            ("foobar", 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18),
        ];
        for (text, hash) in vectors_128 {
            assert_eq!(fnv1a_128(text.as_bytes()), hash, "{text:?}");
        }
    }

    #[test]
    fn pieces_give_the_hash_of_the_whole_and_fields_stay_apart() {
        let mut pieces = Fnv64::default();
        pieces.write(b"foo");
        pieces.write(b"bar");
        assert_eq!(pieces.finish(), fnv1a_64(b"foobar"));
        let of = |fields: [&[u8]; 2]| {
            let (mut short, mut long) = (Fnv64::default(), Fnv128::default());
            for field in fields {
                short.write_field(field);
                long.write_field(field);
            }
            (short.finish(), long.finish())
        };
        let (one, other) = (of([b"ab", b"c"]), of([b"a", b"bc"]));
        assert!(one.0 != other.0 && one.1 != other.1);
    }
}
