{{- define "image-gateway.fullname" -}}
{{- if contains "image-gateway" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-image-gateway" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- /* Labels that select the pods of a component: (dict "root" $ "component" "api"). */}}
{{- define "image-gateway.selector" -}}
app.kubernetes.io/name: image-gateway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "image-gateway.labels" -}}
{{ include "image-gateway.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "image-gateway.image" -}}
{{- $values := .root.Values -}}
{{ $values.image.prefix }}-{{ .component }}:{{ .tag | default $values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "image-gateway.serviceAccountName" -}}
{{- with .Values.serviceAccount }}
{{- if .create }}{{ .name | default (include "image-gateway.fullname" $) }}{{ else }}{{ .name | default "default" }}{{ end }}
{{- end }}
{{- end }}

{{- /* Environment that every container has beside its settings. */}}
{{- define "image-gateway.extraEnv" -}}
{{- if .Values.caBundle.configMap }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/image-gateway/ca/{{ .Values.caBundle.key }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "image-gateway.extraVolumeMounts" -}}
{{- if .Values.caBundle.configMap }}
- { name: ca, mountPath: /etc/image-gateway/ca, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "image-gateway.extraVolumes" -}}
{{- with .Values.caBundle }}
{{- if .configMap }}
- name: ca
  configMap: { name: {{ .configMap }} }
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "image-gateway.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key | default .name }}
{{- end }}

{{- define "image-gateway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "image-gateway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* What a Deployment scaled by nobody else has. */}}
{{- define "image-gateway.replicas" -}}
{{- if not .autoscaling.enabled }}
replicas: {{ .replicas }}
{{- end }}
{{- end }}

{{- /* Deployment of a component: (dict "root" $ "component" "api" "values" .Values.api "isApi" true "storage" true). */}}
{{- define "image-gateway.deployment" -}}
{{- $root := .root }}
{{- $values := .values }}
{{- $fullname := include "image-gateway.fullname" $root }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $fullname }}-{{ .component }}
  labels: {{- include "image-gateway.labels" . | nindent 4 }}
spec:
  {{- include "image-gateway.replicas" $values | nindent 2 }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels: {{- include "image-gateway.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "image-gateway.labels" . | nindent 8 }}
        {{- with $root.Values.podLabels }}{{ toYaml . | nindent 8 }}{{ end }}
      annotations:
        checksum/settings: {{ toJson (list $root.Values.settings $values.settings) | sha256sum }}
        {{- with $root.Values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
    spec:
      automountServiceAccountToken: {{ $root.Values.automountServiceAccountToken }}
      enableServiceLinks: false
      serviceAccountName: {{ include "image-gateway.serviceAccountName" $root }}
      terminationGracePeriodSeconds: {{ add (ceil (divf $root.Values.shutdownGraceMs 1000)) 10 }}
      securityContext: {{- include "image-gateway.podSecurity" $root | nindent 8 }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with $root.Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "image-gateway.selector" . | nindent 14 }}
      containers:
        - name: {{ .component }}
          image: {{ include "image-gateway.image" (dict "root" $root "component" .component "tag" $values.tag) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          securityContext: {{- include "image-gateway.containerSecurity" $root | nindent 12 }}
          ports:
            {{- if .isApi }}
            - { name: http, containerPort: 3000 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          env:
            - { name: SHUTDOWN_GRACE_MS, value: {{ int $root.Values.shutdownGraceMs | quote }} }
            {{- with $values.spool }}
            - { name: SPOOL_MAX, value: {{ .max | quote }} }
            {{- end }}
            {{- include "image-gateway.fromSecret" (dict "name" "DATABASE_URL" "secret" $root.Values.secrets.database) | nindent 12 }}
            {{- include "image-gateway.fromSecret" (dict "name" "REDIS_URL" "secret" $root.Values.secrets.redis) | nindent 12 }}
            {{- if and .storage (ne (toString $root.Values.settings.S3_CREDENTIALS) "role") }}
            {{- include "image-gateway.fromSecret" (dict "name" "S3_ACCESS_KEY" "secret" $root.Values.secrets.storage) | nindent 12 }}
            {{- include "image-gateway.fromSecret" (dict "name" "S3_SECRET_KEY" "secret" $root.Values.secrets.storage) | nindent 12 }}
            {{- end }}
            {{- if .isApi }}
            {{- include "image-gateway.fromSecret" (dict "name" "AUTH_SECRET" "secret" $root.Values.secrets.dashboard) | nindent 12 }}
            - name: ENCRYPTION_KEY
              valueFrom:
                secretKeyRef:
                  name: {{ $root.Values.secrets.providers }}
                  key: ENCRYPTION_KEY
                  optional: true
            {{- end }}
            {{- if and $root.Values.secrets.mail (ne .component "generation-worker") }}
            {{- include "image-gateway.fromSecret" (dict "name" "SMTP_URL" "secret" $root.Values.secrets.mail) | nindent 12 }}
            {{- end }}
            {{- range $name, $value := $values.settings }}
            - { name: {{ $name }}, value: {{ $value | toString | quote }} }
            {{- end }}
            {{- include "image-gateway.extraEnv" $root | nindent 12 }}
          envFrom:
            - configMapRef:
                name: {{ $fullname }}
            {{- if $values.spool }}
            - secretRef:
                name: {{ $root.Values.secrets.providers }}
                optional: true
            {{- end }}
          {{- if .isApi }}
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          lifecycle:
            # Requests arrive until every proxy has noticed that this pod ends.
            preStop:
              exec: { command: [sleep, "5"] }
          {{- else }}
          startupProbe:
            httpGet: { path: /metrics, port: metrics }
            periodSeconds: 2
            failureThreshold: 30
          # A worker whose loops hang ends itself; this notices a process that is stopped altogether.
          livenessProbe:
            httpGet: { path: /metrics, port: metrics }
            periodSeconds: 20
            timeoutSeconds: 10
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /metrics, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 3
          {{- end }}
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if or .isApi $values.spool }}
            - { name: spool, mountPath: /spool }
            {{- end }}
            {{- include "image-gateway.extraVolumeMounts" $root | nindent 12 }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- if .isApi }}
        # Uploads under way.
        - name: spool
          emptyDir: { sizeLimit: 2Gi }
        {{- end }}
        {{- with $values.spool }}
        - name: spool
          emptyDir: { sizeLimit: {{ .volumeSize }} }
        {{- end }}
        {{- include "image-gateway.extraVolumes" $root | nindent 8 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $fullname }}-{{ .component }}
  labels: {{- include "image-gateway.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ $root.Values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels: {{- include "image-gateway.selector" . | nindent 6 }}
{{- end }}

{{- /* Trigger of a ScaledObject: (dict "root" $ "query" … "perWorker" n). */}}
{{- define "image-gateway.trigger" -}}
- type: postgresql
  metadata:
    query: >-
      {{ .query }}
    targetQueryValue: {{ .perWorker | quote }}
  authenticationRef:
    name: {{ include "image-gateway.fullname" .root }}-database
{{- end }}

{{- /* ScaledObject of a worker: (dict "root" $ "component" … "values" … "triggers" text). */}}
{{- define "image-gateway.scaledObject" -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ include "image-gateway.fullname" .root }}-{{ .component }}
  labels: {{- include "image-gateway.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ include "image-gateway.fullname" .root }}-{{ .component }}
  pollingInterval: 10
  minReplicaCount: {{ .values.autoscaling.minReplicas }}
  maxReplicaCount: {{ .values.autoscaling.maxReplicas }}
  # While PostgreSQL does not answer there is nothing to scale by.
  fallback:
    failureThreshold: 3
    replicas: {{ .values.autoscaling.minReplicas }}
    behavior: currentReplicasIfHigher
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 0
          policies:
            - { type: Percent, value: 100, periodSeconds: 30 }
            - { type: Pods, value: 4, periodSeconds: 30 }
        # A worker that ends hands its tasks over; few at a time keep that cheap.
        scaleDown:
          stabilizationWindowSeconds: 300
          policies:
            - { type: Percent, value: 20, periodSeconds: 60 }
            - { type: Pods, value: 1, periodSeconds: 60 }
  triggers:
    {{- .triggers | nindent 4 }}
{{- end }}
