{{- define "trivium.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "trivium.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "trivium.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "trivium.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "trivium.selector" -}}
app.kubernetes.io/name: {{ include "trivium.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "trivium.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "trivium.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "trivium.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "trivium.fullname" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "trivium.image" -}}
{{- $repository := required "image.repository is required: build the image (docs/start/install.md#container) and push it where the cluster can pull it" .Values.image.repository }}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}{{ else }}{{ $repository }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end }}
{{- end }}

{{- define "trivium.migrates" -}}
{{- if and .Values.migrations.enabled (hasKey .Values.config "database") }}true{{ end }}
{{- end }}

{{/* Empty without a listener for members. */}}
{{- define "trivium.membersPort" -}}
{{- with .Values.config.admin }}{{ if hasKey . "members" }}{{ dig "port" 8083 (default dict .members) | int }}{{ end }}{{ end }}
{{- end }}

{{- define "trivium.mostReplicas" -}}
{{- if .Values.autoscaling.enabled }}{{ .Values.autoscaling.maxReplicas | int }}{{ else }}{{ .Values.replicas | int }}{{ end }}
{{- end }}

{{/* Whether blobs.folder is on a volume of extraVolumeMounts. */}}
{{- define "trivium.hasMediaVolume" -}}
{{- $folder := dig "blobs" "folder" "" .Values.config }}
{{- range .Values.extraVolumeMounts }}
{{- if hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) (printf "%s/" $folder) }}true{{ end }}
{{- end }}
{{- end }}

{{/* What would install and then not work. */}}
{{- define "trivium.refusals" -}}
{{- if gt (include "trivium.mostReplicas" . | int) 1 }}
{{- if not (dig "seals" "keys" list .Values.config) }}
{{- fail "config.seals.keys is required with more than one node: reasoning and links signed by one node would be refused by another. Put a key into your Secret (openssl rand -hex 32) and set config.seals.keys: [env:TRIVIUM_SEALS_KEY], or set replicas: 1" }}
{{- end }}
{{- if and (hasKey .Values.config "database") (not (dig "blobs" "s3" dict .Values.config)) (not (include "trivium.hasMediaVolume" .)) }}
{{- fail "with more than one node, media need a place that all nodes share: set config.blobs.s3, or config.blobs.folder to a folder on a ReadWriteMany volume of extraVolumes and extraVolumeMounts, or set replicas: 1" }}
{{- end }}
{{- end }}
{{- if and (or .Values.ingress.enabled .Values.console.ingress.enabled) (not (kindIs "slice" (get (default dict .Values.config.listen) "trustedProxies"))) }}
{{- fail "an Ingress needs config.listen.trustedProxies: the addresses of the ingress controller's pods, such as [10.244.0.0/16]. Without it every request seems to come from the controller, over plain http" }}
{{- end }}
{{- if and .Values.console.ingress.enabled (not (include "trivium.membersPort" .)) }}
{{- fail "console.ingress needs config.admin.members (may be {}): members use the console there. Operators use the admin listener; the notes of the installation say how" }}
{{- end }}
{{- end }}

{{/* A dict of root, ingress (values), name (of the Ingress), service and setting (which values these are). */}}
{{- define "trivium.ingress" -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .name }}
  labels:
    {{- include "trivium.labels" .root | nindent 4 }}
  {{- with .ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .ingress.tlsSecret }}
  tls:
    - hosts: [{{ $.ingress.host | quote }}]
      secretName: {{ . }}
  {{- end }}
  rules:
    - host: {{ required (printf "%s.host is required" .setting) .ingress.host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ .service }}
                port: { name: http }
{{- end }}

{{/* What the chart decides comes last, so that probes, Service and grace period fit. */}}
{{- define "trivium.config" -}}
{{- $own := dict
  "listen" (dict "host" "0.0.0.0" "port" 8080)
  "admin" (dict "host" "0.0.0.0" "port" 8081)
  "timeouts" (dict "drainNoticeMs" (mul .Values.drain.noticeSeconds 1000) "drainMs" (mul .Values.drain.seconds 1000)) }}
{{- if include "trivium.migrates" . }}
{{- $_ := set $own "database" (dict "migrate" false) }}
{{- end }}
{{- with include "trivium.membersPort" . }}
{{- $_ := set $own.admin "members" (dict "host" "0.0.0.0" "port" (int .)) }}
{{- end }}
{{- $usual := dict }}
{{- if and .Values.console.ingress.enabled .Values.console.ingress.tlsSecret }}
{{- $_ := set $usual "admin" (dict "members" (dict "publicUrl" (printf "https://%s" .Values.console.ingress.host))) }}
{{- end }}
{{- toYaml (mustMergeOverwrite $usual (deepCopy .Values.config) $own) }}
{{- end }}

{{- define "trivium.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "trivium.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "trivium.environment" -}}
{{- with .Values.secrets.existingSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "trivium.configMounts" -}}
- name: config
  mountPath: /etc/trivium
  readOnly: true
{{- if .Values.secrets.existingFiles }}
- name: secret-files
  mountPath: /run/secrets/trivium
  readOnly: true
{{- end }}
{{- if .Values.serviceAccount.token.audience }}
- name: token
  mountPath: /var/run/secrets/trivium-token
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "trivium.ownVolumes" -}}
{{- with .Values.secrets.existingFiles }}
- name: secret-files
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- with .Values.serviceAccount.token }}
{{- if .audience }}
- name: token
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          audience: {{ .audience | quote }}
          expirationSeconds: {{ .expirationSeconds }}
          path: token
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
