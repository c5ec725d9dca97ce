"""Writes images.h: the first test images of the network as arrays of bytes.

python images.py digits.txt labels.txt > images.h
"""
import sys

COUNT = 3
images = [line.split() for line in open(sys.argv[1])][:COUNT]
labels = open(sys.argv[2]).read().split()[:COUNT]
print(f"enum {{ kImages = {COUNT} }};")
print("static const uint8_t images[kImages][64] = {")
for image in images:
    print("    {" + ", ".join(image) + "},")
print("};")
print("static const uint8_t labels[kImages] = {" + ", ".join(labels) + "};")
