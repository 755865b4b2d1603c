"""OpenAI's library for Python: stored responses, conversations, and responses in the background on two nodes."""

import openai
from task import API_KEY, OTHER_URL, RECEIVER_URL, URL, WEBHOOK_SECRET, check, fetched, for_each_host, sent


def client_at(url):
    return openai.OpenAI(api_key=API_KEY, base_url=url, max_retries=0, webhook_secret=WEBHOOK_SECRET)


one, other = client_at(URL), client_at(OTHER_URL)
LONG = "Tell me all. @simulate scenario=text-long words=4000 tps=100"


def gone(work):
    try:
        work()
    except openai.NotFoundError:
        return
    raise AssertionError("it is still there")


def text_in(events):
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def read_and_deleted(model):
    made = one.responses.create(model=model, input="Where do three roads meet?", metadata={"a": "b"})
    assert other.responses.retrieve(made.id).to_dict() == made.to_dict()
    items = [item for item in other.responses.input_items.list(made.id)]
    assert len(items) == 1 and "three roads" in items[0].to_json()
    other.responses.delete(made.id)
    gone(lambda: one.responses.retrieve(made.id))
    gone(lambda: one.responses.input_items.list(made.id))


def goes_on(model):
    first = one.responses.create(model=model, input="My name is Ann.", instructions="Speak like a pirate.")
    second = one.responses.create(model=model, previous_response_id=first.id, input="Who am I?")
    assert "My name is Ann" in sent() and "pirate" not in sent()
    assert second.previous_response_id == first.id
    try:
        one.responses.create(model=model, previous_response_id="resp_unknown", input="x")
    except openai.BadRequestError as error:
        assert error.code == "previous_response_not_found"
    else:
        raise AssertionError("an unknown response was found")


def conversation(model):
    made = one.conversations.create(metadata={"topic": "roads"}, items=[])
    first = one.responses.create(model=model, conversation=made.id, input="My name is Ann.")
    assert first.conversation.id == made.id
    with one.responses.stream(model=model, conversation=made.id, input="Who am I?") as stream:
        stream.until_done()
    assert "My name is Ann" in sent()
    items = list(other.conversations.items.list(made.id, order="asc", limit=1))
    assert [item.role for item in items] == ["user", "assistant", "user", "assistant"], items
    assert other.conversations.items.retrieve(items[0].id, conversation_id=made.id).to_dict() == items[0].to_dict()
    other.conversations.items.delete(items[-1].id, conversation_id=made.id)
    assert len(list(one.conversations.items.list(made.id))) == 3
    assert one.conversations.update(made.id, metadata={"topic": "rivers"}).metadata == {"topic": "rivers"}
    assert one.conversations.delete(made.id).deleted
    gone(lambda: other.conversations.retrieve(made.id))


def cut_at_each_event(model):
    whole = list(one.responses.create(model=model, input="A stream, please", background=True, stream=True))
    id = whole[0].response.id
    for cut in range(len(whole)):
        rest = list(other.responses.retrieve(id, stream=True, starting_after=cut))
        assert [event.to_dict() for event in rest] == [event.to_dict() for event in whole[cut + 1 :]], cut
    with other.responses.stream(response_id=id, starting_after=3) as stream:
        assert stream.get_final_response().output_text == text_in(whole)


def cut_while_made(model):
    events = []
    question = "Slowly. @simulate scenario=text-long words=40 tps=200"
    stream = one.responses.create(model=model, input=question, background=True, stream=True)
    while True:
        events.append(next(iter(stream)))
        stream.close()
        if events[-1].type == "response.completed":
            break
        node = other if len(events) % 2 else one
        after = events[-1].sequence_number
        stream = node.responses.retrieve(events[0].response.id, stream=True, starting_after=after)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert one.responses.retrieve(events[0].response.id).output_text == text_in(events)


def cancelled(model):
    stream = one.responses.create(model=model, input=LONG, background=True, stream=True)
    id = next(event for event in stream if event.type == "response.created").response.id
    next(event for event in stream if event.type == "response.output_text.delta")
    stream.close()
    assert other.responses.cancel(id).status == "cancelled"
    assert one.responses.retrieve(id).status == "cancelled"
    last = list(one.responses.retrieve(id, stream=True))[-1].to_dict()
    assert last["response"]["status"] == "cancelled", last


def unwrapped(model):
    made = one.responses.create(model=model, input="Where do three roads meet?", background=True)
    came = fetched(f"{RECEIVER_URL}/{made.id}")
    event = one.webhooks.unwrap(came["body"], came["headers"])
    assert event.type == "response.completed" and event.data.id == made.id
    try:
        one.webhooks.unwrap(came["body"] + " ", came["headers"])
    except openai.InvalidWebhookSignatureError:
        return
    raise AssertionError("a changed body was accepted")


for_each_host(
    "openai (Python)",
    {
        "retrieve, input items, delete": read_and_deleted,
        "previous_response_id": goes_on,
        "a conversation": conversation,
        "a stream is cut behind each event and goes on at another node": cut_at_each_event,
        "a stream is cut behind each event while it is made": cut_while_made,
        "cancel at another node": cancelled,
        "a webhook is unwrapped": unwrapped,
    },
)


def input_tokens():
    model = "openai/gpt-4o"
    made = one.responses.create(model=model, input="long " * 200)
    alone = one.responses.input_tokens.count(model=model, input="short")
    both = other.responses.input_tokens.count(model=model, input="short", previous_response_id=made.id)
    assert both.input_tokens > alone.input_tokens + 150, both


check("openai (Python): input tokens", input_tokens)
