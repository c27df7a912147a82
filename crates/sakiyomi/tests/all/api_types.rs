//! The page's types are those of the server.

use std::fs;
use std::path::Path;

use sakiyomi::serve::api::typescript;

#[test]
fn the_types_of_the_page_are_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/api.ts");
    if std::env::var_os("SAKIYOMI_BLESS").is_some() {
        fs::write(&file, typescript()).unwrap();
    }
    let (written, made) = (fs::read_to_string(&file).unwrap(), typescript());
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(
        written == made,
        "web/src/api.ts is not what the Rust types make; run this test with SAKIYOMI_BLESS=1. First difference: \
         {differs:?}"
    );
}
