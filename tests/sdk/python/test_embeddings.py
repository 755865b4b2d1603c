"""The official OpenAI and Google Gen AI SDKs for Python as judges of embeddings."""

from functools import cache

import openai
from cases import API_KEY, URL, case, case_for, report
from google import genai
from google.genai import errors, types

MODELS = ["openai/text-embedding-3-small", "compatible/embedder", "google/gemini-embedding-001"]
TEXTS = ["three roads", "meet here"]
DIMENSIONS = 8


@cache
def openai_client():
    return openai.OpenAI(api_key=API_KEY, base_url=f"{URL}/api/v1", max_retries=0, timeout=20)


@cache
def genai_client(vertexai):
    options = types.HttpOptions(
        base_url=f"{URL}/api/vertex-ai", api_version="v1" if vertexai else "v1beta", timeout=20_000
    )
    return genai.Client(vertexai=vertexai, api_key=API_KEY, http_options=options)


@case_for(MODELS)
def openai_embeddings(model):
    create = openai_client().embeddings.create
    unsaid = create(model=model, input=TEXTS, dimensions=DIMENSIONS)
    floats = create(model=model, input=TEXTS, dimensions=DIMENSIONS, encoding_format="float")
    return {
        "unsaid": [entry.embedding for entry in unsaid.data],
        "floats": [entry.embedding for entry in floats.data],
        "tokens": unsaid.usage.total_tokens,
    }


@case_for(MODELS)
def genai_embeddings(model):
    config = types.EmbedContentConfig(output_dimensionality=DIMENSIONS)
    batch = genai_client(False).models.embed_content(model=model, contents=TEXTS, config=config)
    one = genai_client(True).models.embed_content(model=model, contents=TEXTS[1], config=config)
    return {
        "batch": [embedding.values for embedding in batch.embeddings],
        "one": [embedding.values for embedding in one.embeddings],
    }


@case
def openai_refused():
    try:
        openai_client().embeddings.create(model=MODELS[0], input="a", dimensions=5000)
    except openai.APIStatusError as error:
        return {"kind": type(error).__name__, "param": error.param}
    return {}


@case
def genai_refused():
    try:
        genai_client(False).models.embed_content(model="openai/gpt-4o", contents="a")
    except errors.ClientError as error:
        return {"code": error.code}
    return {}


report(openai.__version__)
