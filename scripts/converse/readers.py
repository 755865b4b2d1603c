"""Other people's readers of converse: boto3 on streams and requests, langchain-aws in a conversation. Prints JSON lines."""

import base64
import json
import sys

import boto3
import botocore.exceptions
from botocore.config import Config
from botocore.validate import ParamValidator


def client_at(url):
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="AKIASIMULATOR0000000",
        aws_secret_access_key="simulated/secret+access/key0123456789ABC",
        config=Config(retries={"max_attempts": 0}),
    )


def read(client, case):
    said = {"text": "", "thinking": "", "signatures": [], "redacted": [], "calls": [], "citations": 0}
    open_signature = {}
    try:
        reply = client.converse_stream(modelId=str(case), messages=[{"role": "user", "content": [{"text": "x"}]}])
        for event in reply["stream"]:
            ((name, data),) = event.items()
            at = data.get("contentBlockIndex")
            if name == "contentBlockStart" and "toolUse" in data["start"]:
                call = data["start"]["toolUse"]
                said["calls"].append({"id": call["toolUseId"], "name": call["name"], "input": ""})
            elif name == "contentBlockDelta":
                delta = data["delta"]
                said["text"] += delta.get("text", "")
                if "toolUse" in delta:
                    said["calls"][-1]["input"] += delta["toolUse"]["input"]
                if "citation" in delta:
                    said["citations"] += 1
                reasoning = delta.get("reasoningContent", {})
                said["thinking"] += reasoning.get("text", "")
                if "signature" in reasoning:
                    said["signatures"].append(reasoning["signature"])
                if "redactedContent" in reasoning:
                    open_signature.setdefault(at, []).append(base64.b64encode(reasoning["redactedContent"]).decode())
            elif name == "messageStop":
                said["stop"] = data["stopReason"]
            elif name == "metadata":
                usage = data["usage"]
                said["usage"] = [
                    usage["inputTokens"],
                    usage["outputTokens"],
                    usage.get("cacheReadInputTokens", 0),
                    usage.get("cacheWriteInputTokens", 0),
                ]
        said["redacted"] = len(open_signature)
    except botocore.exceptions.EventStreamError as error:
        return {"error": error.response["Error"]["Code"]}
    except Exception as error:
        return {"error": type(error).__name__}
    return said


def as_params(shape, value):
    """JSON as the parameters of a call: bytes where the service has bytes."""
    if shape.type_name == "blob":
        return base64.b64decode(value, validate=True)
    if shape.type_name == "structure" and isinstance(value, dict) and not getattr(shape, "is_document_type", False):
        return {k: as_params(shape.members[k], v) if k in shape.members else v for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [as_params(shape.member, each) for each in value]
    return value


def validate(client, lines):
    model = client.meta.service_model
    for line in lines:
        sent = json.loads(line)
        shape = model.operation_model("Converse").input_shape
        try:
            params = as_params(shape, {"modelId": sent["model"], **sent["body"]})
            report = ParamValidator().validate(params, shape)
            problem = report.generate_report() if report.has_errors() else None
        except Exception as error:
            problem = repr(error)
        print(json.dumps({"name": sent["name"], "problem": problem}))


def converse(url, model):
    """Three turns with thinking and a tool: the host verifies that each signature comes back byte for byte."""
    from langchain_aws import ChatBedrockConverse
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"rain in {city}"

    chat = ChatBedrockConverse(
        client=client_at(url),
        model=model,
        provider="anthropic",
        max_tokens=4000,
        additional_model_request_fields={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ).bind_tools([weather])
    messages = [HumanMessage("Look. @simulate scenario=reasoning-tools")]
    signatures = 0
    for streamed in (False, True, False):
        if streamed:
            whole = None
            for piece in chat.stream(messages):
                whole = piece if whole is None else whole + piece
        else:
            whole = chat.invoke(messages)
        blocks = whole.content if isinstance(whole.content, list) else []
        signatures += sum(1 for block in blocks if block.get("type") == "reasoning_content")
        messages.append(whole)
        for call in whole.tool_calls:
            messages.append(ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]))
        if not whole.tool_calls:
            messages.append(HumanMessage("Again. @simulate scenario=reasoning-tools"))
    return signatures


if __name__ == "__main__":
    mode, url = sys.argv[1:3]
    if mode == "streams":
        client = client_at(url)
        for case in range(int(sys.argv[3])):
            print(json.dumps(read(client, case)))
    elif mode == "requests":
        validate(client_at(url), sys.stdin)
    else:
        print(json.dumps({"signatures": converse(url, sys.argv[3])}))
