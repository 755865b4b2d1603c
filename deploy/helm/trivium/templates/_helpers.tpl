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
{{- $repository := required "image.repository is required: build the image (docs/install.md) and push it where the cluster can pull it" .Values.image.repository }}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}{{ else }}{{ $repository }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end }}
{{- end }}

{{- define "trivium.migrates" -}}
{{- if and .Values.migrations.enabled (hasKey .Values.config "database") }}true{{ end }}
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
{{- toYaml (mustMergeOverwrite (deepCopy .Values.config) $own) }}
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
{{- end }}

{{- define "trivium.secretFilesVolume" -}}
{{- with .Values.secrets.existingFiles }}
- name: secret-files
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
