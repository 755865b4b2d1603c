"""The official OpenAI SDK for Python as judge of videos in its format: from the order to the deletion."""

import base64
import warnings

import openai
from cases import API_KEY, URL, case_for, report

warnings.simplefilter("ignore", DeprecationWarning)
HOSTS = ["sora/sora", "google/veo-3.1"]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@case_for(HOSTS)
def whole(model):
    videos = openai.OpenAI(api_key=API_KEY, base_url=f"{URL}/v1", max_retries=0, timeout=20).videos
    first = ("first.png", PNG, "image/png")
    order = {"model": model, "prompt": "a python boat", "seconds": "8", "size": "1280x720"}
    video = videos.create_and_poll(**order, input_reference=first, poll_interval_ms=50)
    head = videos.download_content(video.id).read()[4:8].decode()
    listed = video.id in [one.id for one in videos.list(limit=2)]
    try:
        remixed = videos.remix(video.id, prompt="at night").remixed_from_video_id == video.id
    except openai.BadRequestError as error:
        remixed = error.code
    deleted = videos.delete(video.id).deleted
    try:
        after = videos.retrieve(video.id).status
    except openai.NotFoundError as error:
        after = error.status_code
    return {
        "status": video.status,
        "seconds": video.seconds,
        "size": video.size,
        "head": head,
        "listed": listed,
        "deleted": deleted,
        "remixed": remixed,
        "after": after,
    }


report(openai.__version__)
