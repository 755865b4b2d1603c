"""The official Python SDK: speaks a sentence, and prints what is heard of it."""
import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["URL"], api_key=os.environ["KEY"], max_retries=0)
sound = client.audio.speech.create(
    model=os.environ["TALKER"], voice="rms", input=os.environ["SENTENCE"], response_format="wav"
)
heard = client.audio.transcriptions.create(
    model=os.environ["LISTENER"],
    file=("talk.wav", sound.read(), "audio/x-wav"),
    response_format="verbose_json",
    timestamp_granularities=["word"],
)
assert heard.words and heard.duration > 1, heard
print(heard.text)
