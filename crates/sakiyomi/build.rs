//! Rebuilds the program when the page inside it was built anew.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
}
