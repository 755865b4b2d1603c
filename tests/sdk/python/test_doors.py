"""The official OpenAI SDK for Python as the judge of the smaller calls."""

from functools import cache

import openai
from cases import API_KEY, URL, case, report


@cache
def client():
    return openai.OpenAI(api_key=API_KEY, base_url=f"{URL}/v1", max_retries=0, timeout=20)


@case
def moderation():
    answer = client().moderations.create(input=["a walk", "plain violence"])
    first, second = answer.results
    return {
        "model": answer.model,
        "flagged": [first.flagged, second.flagged],
        "violence": second.categories.violence,
        "minors": second.category_scores.sexual_minors,
        "found": second.category_applied_input_types.violence,
    }


@case
def completion():
    create = client().completions.create
    asked = {"model": "anthropic/claude-sonnet-4-5", "prompt": "Where do three roads meet?"}
    whole = create(**asked, max_tokens=100)
    chunks = list(create(**asked, stream=True, stream_options={"include_usage": True}))
    return {
        "object": whole.object,
        "text": whole.choices[0].text,
        "finish": whole.choices[0].finish_reason,
        "streamed": "".join(choice.text for chunk in chunks for choice in chunk.choices),
        "total": chunks[-1].usage.total_tokens,
    }


report(openai.__version__)
