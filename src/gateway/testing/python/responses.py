"""The stock OpenAI client: responses whole, continued, streamed and with a round of tools."""

import json

from connection import ADD, BASE_URL, KEY, report
from openai import OpenAI

client = OpenAI(api_key=KEY, base_url=f"{BASE_URL}/v1", max_retries=0)

whole = client.responses.create(model="any", input="hi")
continued = client.responses.create(model="any", input="again", previous_response_id=whole.id)

with client.responses.stream(model="any", input="hi") as stream:
    types = [event.type for event in stream]
    streamed = stream.get_final_response()

tools = [{"type": "function", "strict": True, **ADD}]
question = [{"role": "user", "content": "add"}]
asked = client.responses.create(model="any", input=question, tools=tools)
call = next(item for item in asked.output if item.type == "function_call")
values = json.loads(call.arguments)
result = {"type": "function_call_output", "call_id": call.call_id, "output": str(values["a"] + values["b"])}
answered = client.responses.create(model="any", input=[*question, *asked.output, result], tools=tools)

report(
    whole=whole.output_text,
    status=whole.status,
    continued=continued.output_text,
    streamed=streamed.output_text,
    first=types[0],
    last=types[-1],
    values=values,
    answered=answered.output_text,
)
