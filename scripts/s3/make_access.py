"""Makes a bucket and a user who may do everything with it, and prints the user's access key as JSON."""
import json
import sys

import boto3

endpoint, bucket = sys.argv[1:]
common = {"endpoint_url": endpoint, "region_name": "us-east-1", "aws_access_key_id": "x", "aws_secret_access_key": "x"}
boto3.client("s3", **common).create_bucket(Bucket=bucket)
iam = boto3.client("iam", **common)
iam.create_user(UserName="trivium")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="trivium", PolicyName="all", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="trivium")["AccessKey"]
print(json.dumps({"accessKeyId": key["AccessKeyId"], "secretAccessKey": key["SecretAccessKey"]}))
