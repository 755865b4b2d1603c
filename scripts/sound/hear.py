"""Writes down what is said: a path of 16 kHz mono samples on each line of the input, words with their times on each of the output."""
import json
import sys

from pocketsphinx import Decoder

FRAMES_PER_SECOND = 100
PRONUNCIATION = "("

decoder = Decoder(samprate=16000, loglevel="FATAL")
for line in sys.stdin:
    with open(line.strip(), "rb") as file:
        samples = file.read()
    decoder.start_utt()
    decoder.process_raw(samples, full_utt=True)
    decoder.end_utt()
    words = [
        {
            "word": segment.word.split(PRONUNCIATION)[0],
            "start": segment.start_frame / FRAMES_PER_SECOND,
            "end": (segment.end_frame + 1) / FRAMES_PER_SECOND,
        }
        for segment in decoder.seg() or []
        if segment.word[0] not in "<[+"
    ]
    print(json.dumps(words), flush=True)
