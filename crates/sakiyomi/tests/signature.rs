//! The signature of all behaviour. A commit that changes it on purpose changes the file too:
//! `sakiyomi bench --signature > tests/signature.txt`.

#[test]
fn behaviour_is_as_it_was() {
    let known = include_str!("../../../tests/signature.txt").trim();
    assert_eq!(format!("{:016x}", sakiyomi::bench::signature().unwrap()), known);
}
