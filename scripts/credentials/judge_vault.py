"""Signs in and reads as operators' own programs do: hvac, at the address given. Prints what it read as JSON."""
import json
import sys

import hvac

address, role_id, secret_id, jwt = sys.argv[1:]
read = {}
for name, sign_in in {
    "approle": lambda client: client.auth.approle.login(role_id=role_id, secret_id=secret_id),
    "kubernetes": lambda client: client.auth.kubernetes.login(role="gateway", jwt=jwt),
}.items():
    client = hvac.Client(url=address, namespace="team-a")
    session = sign_in(client)
    client.token = session["auth"]["client_token"]
    client.auth.token.renew_self()
    lookup = client.auth.token.lookup_self()
    answer = client.secrets.kv.v2.read_secret_version(path="team/openai", raise_on_deleted_version=True)
    read[name] = {
        "value": answer["data"]["data"]["key"],
        "version": answer["data"]["metadata"]["version"],
        "renewable": lookup["data"]["renewable"],
        "authenticated": client.is_authenticated(),
    }
print(json.dumps(read))
