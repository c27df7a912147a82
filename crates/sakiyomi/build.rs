//! Rebuilds the program when the page, the experiments or the results inside it have changed.

fn main() {
    println!("cargo:rerun-if-changed=page");
    println!("cargo:rerun-if-changed=experiments");
    println!("cargo:rerun-if-changed=results");
}
