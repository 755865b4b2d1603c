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


report(openai.__version__)
