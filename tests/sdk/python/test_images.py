"""The official OpenAI and Google Gen AI SDKs for Python as judges of images."""

import base64
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import openai
from cases import API_KEY, URL, case, case_for, report
from google import genai
from google.genai import types

MODELS = ["openai/gpt-image-1.5", "google/imagen-test", "google/gemini-3-pro-image"]
MASKING = MODELS[:2]
# Formats that only hosts speak, some of them with jobs; and whether they edit.
ELSEWHERE = {
    "bytedance/seedream-4.0:byteplus": True,
    "x-ai/grok-imagine-image-2.0": True,
    "bfl/flux-2-pro": True,
    "alibaba/wan2.7-image": True,
    "qwen/qwen-image-plus": False,
    "bfl/flux-2-pro:fal": True,
}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@cache
def openai_client():
    return openai.OpenAI(api_key=API_KEY, base_url=f"{URL}/api/v1", max_retries=0, timeout=20)


@cache
def genai_client():
    options = types.HttpOptions(base_url=f"{URL}/api/vertex-ai", api_version="v1", timeout=20_000)
    return genai.Client(vertexai=True, api_key=API_KEY, http_options=options)


def is_png(data):
    return base64.b64decode(data).startswith(b"\x89PNG")


def picture(name):
    return (name, PNG, "image/png")


@case_for(MODELS)
def openai_images(model):
    images = openai_client().images
    made = images.generate(model=model, prompt="a cat")
    edited = images.edit(model=model, prompt="a cat", image=[picture("a.png"), picture("b.png")])
    return {"made": is_png(made.data[0].b64_json), "edited": is_png(edited.data[0].b64_json)}


@case_for(MODELS)
def openai_streams(model):
    images = openai_client().images
    made = list(images.generate(model=model, prompt="a cat", stream=True, partial_images=2))
    edited = list(images.edit(model=model, prompt="a cat", image=picture("a.png"), stream=True, partial_images=2))
    return {
        "made": [event.type for event in made],
        "edited": [event.type for event in edited],
        "whole": is_png(made[-1].b64_json) and is_png(edited[-1].b64_json),
    }


@case_for(MODELS)
def genai_images(model):
    made = genai_client().models.generate_images(model=model, prompt="a cat")
    image = made.generated_images[0].image
    return {"png": image.image_bytes.startswith(b"\x89PNG"), "type": image.mime_type}


@case_for(MASKING)
def genai_edits(model):
    source = types.RawReferenceImage(
        reference_id=1, reference_image=types.Image(image_bytes=PNG, mime_type="image/png")
    )
    mask = types.MaskReferenceImage(
        reference_id=2,
        reference_image=types.Image(image_bytes=PNG, mime_type="image/png"),
        config=types.MaskReferenceConfig(mask_mode="MASK_MODE_USER_PROVIDED"),
    )
    edited = genai_client().models.edit_image(model=model, prompt="a cat", reference_images=[source, mask])
    return {"png": edited.generated_images[0].image.image_bytes.startswith(b"\x89PNG")}


def type_of(data):
    return "image/png" if data.startswith(b"\x89PNG") else "image/jpeg" if data.startswith(b"\xff\xd8") else "unknown"


def painted_by(model):
    images = openai_client().images
    made = [
        base64.b64decode(images.generate(model=model, prompt="a cat").data[0].b64_json),
        genai_client().models.generate_images(model=model, prompt="a cat").generated_images[0].image.image_bytes,
        base64.b64decode(list(images.generate(model=model, prompt="a cat", stream=True))[-1].b64_json),
    ]
    if ELSEWHERE[model]:
        edited = images.edit(model=model, prompt="a cat", image=picture("a.png"))
        made.append(base64.b64decode(edited.data[0].b64_json))
    return [type_of(data) for data in made]


@case
def elsewhere():
    # Side by side: jobs take a second or two each.
    with ThreadPoolExecutor(max_workers=len(ELSEWHERE)) as pool:
        return dict(zip(ELSEWHERE, pool.map(painted_by, ELSEWHERE)))


@case
def genai_settings():
    config = types.GenerateImagesConfig(
        number_of_images=2,
        negative_prompt="dogs",
        aspect_ratio="16:9",
        output_mime_type="image/jpeg",
        output_compression_quality=80,
        seed=7,
        enhance_prompt=True,
        person_generation="ALLOW_ADULT",
        safety_filter_level="BLOCK_LOW_AND_ABOVE",
        include_rai_reason=True,
        add_watermark=False,
        guidance_scale=3,
        image_size="2K",
    )
    made = genai_client().models.generate_images(model=MODELS[1], prompt="a python", config=config)
    return {"types": [image.image.mime_type for image in made.generated_images]}


report(openai.__version__)
