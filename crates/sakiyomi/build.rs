//! Rebuilds the program when the page inside it was built again.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
}
