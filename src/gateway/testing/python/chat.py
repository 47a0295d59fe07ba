"""The stock OpenAI client: chat completions whole, streamed and with a round of tools."""

import json

from connection import ADD, BASE_URL, KEY, report
from openai import AuthenticationError, OpenAI

client = OpenAI(api_key=KEY, base_url=f"{BASE_URL}/v1", max_retries=0)
hello = [{"role": "user", "content": "hi"}]

whole = client.chat.completions.create(model="any", messages=hello)

pieces = []
usage = None
stream_options = {"include_usage": True}
for chunk in client.chat.completions.create(model="any", messages=hello, stream=True, stream_options=stream_options):
    if chunk.choices:
        pieces.append(chunk.choices[0].delta.content or "")
    usage = chunk.usage or usage

tools = [{"type": "function", "function": ADD}]
question = [{"role": "user", "content": "add"}]
asked = client.chat.completions.create(model="any", messages=question, tools=tools).choices[0]
call = asked.message.tool_calls[0]
values = json.loads(call.function.arguments)
result = {"role": "tool", "tool_call_id": call.id, "content": str(values["a"] + values["b"])}
answered = client.chat.completions.create(model="any", messages=[*question, asked.message, result], tools=tools)

refused = None
try:
    stranger = OpenAI(api_key="sk-sess-unknown", base_url=f"{BASE_URL}/v1", max_retries=0)
    stranger.chat.completions.create(model="any", messages=hello)
except AuthenticationError as error:
    refused = error.status_code

report(
    whole=whole.choices[0].message.content,
    id=whole.id,
    streamed="".join(pieces),
    pieces=len(pieces),
    usage=usage.completion_tokens,
    finish_reason=asked.finish_reason,
    values=values,
    answered=answered.choices[0].message.content,
    refused=refused,
)
