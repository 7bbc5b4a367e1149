"""The questions as JSON, `/api/search?query=bridge`, and their description in OpenAPI, `/api/openapi.json`."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from starlette.responses import JSONResponse
from starlette.routing import Route

import newsextract
from newsextract.newsroom.desk.questions import ASKED, Questions, UnknownError, told_wrong
from newsextract.storage.search.queries import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine
    from starlette.requests import Request
    from starlette.responses import Response


def api_routes(engine: Engine) -> list[Route]:
    """Return a route for each question, and one for their description."""
    questions = Questions(engine)
    models = {name: _model(getattr(questions, name)) for name in ASKED}
    described = JSONResponse(_openapi(questions, models))
    answers = [
        Route(f"/api/{name}", _view(getattr(questions, name), model), methods=["GET"]) for name, model in models.items()
    ]
    return [*answers, Route("/api/openapi.json", lambda _: described, methods=["GET"])]


def _model(question: Callable[..., Any]) -> type[BaseModel]:
    """Return a question's arguments as a model, which checks them."""
    hints = get_type_hints(question, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is Parameter.empty else parameter.default)
        for name, parameter in signature(question).parameters.items()
    }
    return create_model(question.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _view(question: Callable[..., Any], model: type[BaseModel]) -> Callable[[Request], Response]:
    lists = {name for name, part in model.model_json_schema()["properties"].items() if part.get("type") == "array"}

    def answer(request: Request) -> Response:
        query = request.query_params
        given = {name: query.getlist(name) if name in lists else query[name] for name in query}
        try:
            asked = model.model_validate(given)
            return JSONResponse(question(**{name: getattr(asked, name) for name in model.model_fields}))
        except ValidationError as error:
            return JSONResponse({"error": told_wrong(error)}, 400)
        except QueryError as error:
            return JSONResponse({"error": str(error)}, 400)
        except UnknownError as error:
            return JSONResponse({"error": str(error)}, 404)

    return answer


def _openapi(questions: Questions, models: dict[str, type[BaseModel]]) -> dict[str, Any]:
    told = {"application/json": {"schema": {"type": "object"}}}
    responses = {
        "200": {"description": "The answer; what websites wrote is below `from_page`.", "content": told},
        "400": {"description": "An argument is wrong.", "content": told},
        "404": {"description": "There is nothing of that name.", "content": told},
        "500": {"description": "The database does not answer.", "content": told},
        "503": {"description": "This took too long and was given up.", "content": told},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "newsextract", "version": newsextract.__version__},
        "paths": {
            f"/api/{name}": {
                "get": {
                    "operationId": name,
                    "summary": getattr(questions, name).__doc__,
                    "parameters": _parameters(model.model_json_schema()),
                    "responses": responses,
                }
            }
            for name, model in models.items()
        },
    }


def _parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]
