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
    let written = fs::read_to_string(&file).unwrap();
    assert_eq!(written, typescript(), "run this test with SAKIYOMI_BLESS=1");
}
