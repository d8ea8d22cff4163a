#version 430 core
// Capturing draws nothing; the stage is there because a program that rasterises must have one.
void main() {}
