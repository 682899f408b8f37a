"""The objects of the Storage Manager itself: a client's connection, and the tasks it started. Source: recorded objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc.writing import iso_date

if TYPE_CHECKING:
    from datetime import datetime

    from auditor_lab.arrays.dell_sc.calls import Call
    from auditor_lab.arrays.dell_sc.center import Center


def api_connection(center: Center, username: str) -> dict[str, Any]:
    """ApiConnection: the answer to a login and to a GET of it."""
    described = center.description
    return {
        "instanceId": "0",
        "instanceName": "ApiConnection",
        "objectType": "ApiConnection",
        "apiBuild": 199,
        "apiVersion": described.api_version,
        "application": "",
        "applicationVersion": "",
        "commandLine": False,
        "connected": True,
        "connectionKey": "",
        "hostName": "127.0.0.1",
        "locale": "en_US",
        "minApiVersion": described.min_api_version,
        "provider": "EnterpriseManager",
        "providerVersion": described.provider_version,
        "secureString": "",
        "sessionKey": 1436460614863,
        "source": "REST",
        "useHttps": False,
        "userId": 434226,
        "userName": username,
        "webServicesPort": 3033,
    }


def async_task(number: str, call: Call, started: datetime) -> dict[str, Any]:
    """AsyncTask while it runs; afterwards its address answers the result itself.

    `returnValue` names the manager by its own name, "localhost", and not by the client's: cinder's client calls that a bug and uses only
    the path. The names of methods for PUT and DELETE are not verified.
    """
    method = call.name or {"PUT": "Modify", "DELETE": "Delete"}.get(call.method, "Get")
    return {
        "instanceId": number,
        "instanceName": number,
        "objectType": "AsyncTask",
        "currentStep": 1,
        "error": "",
        "errorState": "None",
        "localizedError": "",
        "localizedStepMessage": "",
        "methodName": method,
        "objectTypeName": call.kind,
        "returnValue": f"https://localhost:3033/api/rest/ApiConnection/AsyncTask/{number}",
        "started": True,
        "state": "Running",
        "stepMessage": f"Running Method [Object: {call.kind}] [Method: {method}]",
        "storageCenter": 0,
        "successful": False,
        "timeFinished": "1969-12-31T18:00:00-06:00",
        "timeStarted": iso_date(started),
        "totalSteps": 2,
        "userName": "",
        "warningList": [],
    }
