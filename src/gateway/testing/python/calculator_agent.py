"""openai-agents: the calculator agent over both of OpenAI's interfaces, the second one streamed, then a rating."""

import asyncio
import json
from urllib.request import Request, urlopen

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from connection import BASE_URL, KEY, report
from openai import AsyncOpenAI


@function_tool
def add(a: float, b: float) -> str:
    """Adds."""
    return f"{a + b:g}"


@function_tool
def multiply(a: float, b: float) -> str:
    """Multiplies."""
    return f"{a * b:g}"


def calculator(model) -> Agent:
    return Agent(name="calculator", instructions="Use the tools.", tools=[add, multiply], model=model)


def rate(reward: float) -> dict:
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    body = json.dumps({"reward": reward}).encode()
    with urlopen(Request(f"{BASE_URL}/rl/set_reward", data=body, headers=headers)) as reply:
        return json.load(reply)


async def main() -> None:
    # Traces would be sent to OpenAI.
    set_tracing_disabled(True)
    client = AsyncOpenAI(api_key=KEY, base_url=f"{BASE_URL}/v1", max_retries=0)
    question = "What is (3 + 4) * 5?"
    chat = await Runner.run(calculator(OpenAIChatCompletionsModel("any", client)), question)
    streamed = Runner.run_streamed(calculator(OpenAIResponsesModel("any", client)), question)
    kinds = {event.type async for event in streamed.stream_events()}
    report(
        chat=chat.final_output,
        responses=streamed.final_output,
        kinds=sorted(kinds),
        outcome=rate(1)["outcome"],
    )


asyncio.run(main())
