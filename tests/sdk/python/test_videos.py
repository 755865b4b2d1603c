"""The official Google Gen AI SDK for Python as judge of videos: from words and from frames, to their end."""

import base64
import time
from functools import cache

from cases import API_KEY, URL, case, case_for, report
from google import genai
from google.genai import types

FROM_TEXT = [
    "google/veo-3.1",
    "google/veo-3.1:google-vertex",
    "bytedance/seedance-2.0",
    "alibaba/wan2.7-t2v",
    "minimax/hailuo-2.3",
    "x-ai/grok-imagine-video",
    "klingai/kling-v3",
    "queued/seedance",
]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DEADLINE_S = 20


@cache
def client():
    options = types.HttpOptions(base_url=f"{URL}/api/vertex-ai", api_version="v1", timeout=20_000)
    return genai.Client(vertexai=True, api_key=API_KEY, http_options=options)


def made(**order):
    operation = client().models.generate_videos(**order)
    until = time.monotonic() + DEADLINE_S
    while not operation.done and time.monotonic() < until:
        time.sleep(0.05)
        operation = client().operations.get(operation)
    return operation


def seen(operation):
    videos = [generated.video for generated in operation.response.generated_videos]
    return {"done": operation.done, "types": [video.mime_type for video in videos], "uris": all(video.uri for video in videos)}


@case_for(FROM_TEXT)
def from_text(model):
    return seen(made(model=model, prompt="a cat"))


@case
def from_frames():
    frame = types.Image(image_bytes=PNG, mime_type="image/png")
    config = types.GenerateVideosConfig(number_of_videos=2, last_frame=frame)
    return seen(made(model=FROM_TEXT[0], prompt="python frames", image=frame, config=config))


@case
def failing():
    operation = made(model=FROM_TEXT[0], prompt="a cat @simulate clip=fails")
    return {"done": operation.done, "code": operation.error["code"]}


report(genai.__version__)
