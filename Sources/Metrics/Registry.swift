/// A name, so that the target builds.
public enum Placeholder {}
