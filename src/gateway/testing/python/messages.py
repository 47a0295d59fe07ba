"""The stock Anthropic client: messages whole, streamed, with a round of tools, and counted."""

from anthropic import Anthropic, AuthenticationError
from connection import ADD, BASE_URL, KEY, report

client = Anthropic(api_key=KEY, base_url=BASE_URL, max_retries=0)
hello = [{"role": "user", "content": "hi"}]

whole = client.messages.create(model="any", max_tokens=100, messages=hello)
counted = client.messages.count_tokens(model="any", messages=hello)

with client.messages.stream(model="any", max_tokens=100, messages=hello) as stream:
    pieces = list(stream.text_stream)
    streamed = stream.get_final_message()

tools = [{"name": ADD["name"], "description": ADD["description"], "input_schema": ADD["parameters"]}]
question = [{"role": "user", "content": "add"}]
asked = client.messages.create(model="any", max_tokens=500, messages=question, tools=tools)
use = next(block for block in asked.content if block.type == "tool_use")
result = {"type": "tool_result", "tool_use_id": use.id, "content": str(use.input["a"] + use.input["b"])}
history = [*question, {"role": "assistant", "content": asked.content}, {"role": "user", "content": [result]}]
answered = client.messages.create(model="any", max_tokens=100, messages=history, tools=tools)

refused = None
try:
    stranger = Anthropic(api_key="sk-sess-unknown", base_url=BASE_URL, max_retries=0)
    stranger.messages.create(model="any", max_tokens=1, messages=hello)
except AuthenticationError as error:
    refused = error.body["error"]["type"]

report(
    whole=whole.content[0].text,
    id=whole.id,
    counted=counted.input_tokens == whole.usage.input_tokens,
    streamed="".join(pieces),
    pieces=len(pieces),
    stop_reason=streamed.stop_reason,
    asked=[block.type for block in asked.content],
    values=use.input,
    answered=answered.content[0].text,
    refused=refused,
)
