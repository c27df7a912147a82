//! Rebuilds the program when the page or the results inside it have changed.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
    println!("cargo:rerun-if-changed=../../results");
}
