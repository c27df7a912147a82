//! Rebuilds the program when the page, the experiments or the results inside it have changed.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
    println!("cargo:rerun-if-changed=../../experiments");
    println!("cargo:rerun-if-changed=../../results");
}
