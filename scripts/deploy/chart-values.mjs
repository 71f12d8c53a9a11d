/** Values that are not in use by default: each with options that use it alone, and a text that is then rendered more often. */
export const USED_ALONE = {
  'image.tag': ['--set image.tag=9.9.9', 'image-gateway-migrate:9.9.9'],
  'image.pullSecrets': ['--set image.pullSecrets[0]=registry', '- name: registry'],
  'serviceAccount.create': ['--set serviceAccount.create=true', 'kind: ServiceAccount'],
  'serviceAccount.name': ['--set serviceAccount.name=images', 'serviceAccountName: images'],
  'serviceAccount.annotations': [
    '--set serviceAccount.create=true,serviceAccount.annotations.role=images',
    'role: images',
  ],
  automountServiceAccountToken: [
    '--set automountServiceAccountToken=true',
    'automountServiceAccountToken: true',
  ],
  extraEnv: ['--set extraEnv[0].name=HTTPS_PROXY,extraEnv[0].value=http://proxy:3128', 'name: HTTPS_PROXY'],
  'extraEnv of a secret': [
    `--set-json 'extraEnv=[{"name":"OTEL_EXPORTER_OTLP_HEADERS","valueFrom":{"secretKeyRef":{"name":"traces","key":"headers"}}}]'`,
    'name: OTEL_EXPORTER_OTLP_HEADERS',
  ],
  extraVolumes: [
    '--set ' +
      'extraVolumes[0].name=keys,extraVolumes[0].secret.secretName=keys,' +
      'extraVolumeMounts[0].name=keys,extraVolumeMounts[0].mountPath=/keys',
    'mountPath: /keys',
  ],
  'caBundle.configMap': ['--set caBundle.configMap=authority', 'NODE_EXTRA_CA_CERTS'],
  'catalog.configMap': ['--set catalog.configMap=models', 'configMap: { name: models }'],
  'catalog.document': ["--set-string 'catalog.document=models: {}'", 'catalog.yaml: "models: {}"'],
  podLabels: ['--set podLabels.team=images', 'team: images'],
  nodeSelector: ['--set nodeSelector.disk=fast', 'disk: fast'],
  tolerations: ['--set tolerations[0].key=images,tolerations[0].operator=Exists', 'key: images'],
  priorityClassName: ['--set priorityClassName=high', 'priorityClassName: high'],
  'secrets.mail': [
    '--set secrets.mail=image-gateway-mail,settings.MAIL_FROM=images@example.com',
    'name: image-gateway-mail',
  ],
  'settings.OTEL_*': [
    '--set settings.OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318',
    'OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318"',
  ],
  'api.tag': ['--set api.tag=9.9.9', 'image-gateway-api:9.9.9'],
  'api.settings': ['--set api.settings.LOG_LEVEL=debug', 'LOG_LEVEL, value: "debug"'],
  'api.service': [
    '--set api.service.type=LoadBalancer,api.service.annotations.zone=public',
    'type: LoadBalancer',
  ],
  'api.ipFamilyPolicy': ['--set api.ipFamilyPolicy=PreferDualStack', 'ipFamilyPolicy: PreferDualStack'],
  'api.ingress': [
    '--set api.ingress.enabled=true,api.ingress.hosts[0]=images.example.com',
    'host: images.example.com',
  ],
  'api.ingress with a class and TLS': [
    '--set ' +
      'api.ingress.enabled=true,api.ingress.className=nginx,api.ingress.hosts[0]=images.example.com,' +
      'api.ingress.tls[0].secretName=tls,api.ingress.tls[0].hosts[0]=images.example.com',
    'ingressClassName: nginx',
  ],
  'api.httpRoute': [
    '--set api.httpRoute.enabled=true,api.httpRoute.parentRefs[0].name=public,api.httpRoute.hostnames[0]=images.example.com',
    'kind: HTTPRoute',
  ],
  'api.ingress with annotations': [
    '--set api.ingress.enabled=true,api.ingress.hosts[0]=images.example.com,api.ingress.annotations.issuer=letsencrypt',
    'issuer: letsencrypt',
  ],
  'generationWorker.settings': [
    '--set generationWorker.settings.LOG_LEVEL=debug',
    'LOG_LEVEL, value: "debug"',
  ],
  'webhookWorker.settings': ['--set webhookWorker.settings.LOG_LEVEL=debug', 'LOG_LEVEL, value: "debug"'],
  'generationWorker.tag': ['--set generationWorker.tag=9.9.9', 'image-gateway-generation-worker:9.9.9'],
  'webhookWorker.tag': ['--set webhookWorker.tag=9.9.9', 'image-gateway-webhook-worker:9.9.9'],
  podMonitor: ['--set podMonitor.enabled=true', 'kind: PodMonitor'],
  'podMonitor.labels': [
    '--set podMonitor.enabled=true,podMonitor.labels.release=prometheus',
    'release: prometheus',
  ],
  'networkPolicy.apiFrom': ['--set networkPolicy.apiFrom[0].ipBlock.cidr=10.1.0.0/16', 'cidr: 10.1.0.0/16'],
  'networkPolicy.publicServices': ['--set networkPolicy.publicServices=true', 'cidr: 0.0.0.0/0'],
  'networkPolicy.tracesTo': [
    '--set networkPolicy.tracesTo[0].ipBlock.cidr=10.2.0.0/16',
    'protocol: TCP, port: 4318',
  ],
  'networkPolicy.servicesTo over IPv6': [
    `--set-json 'networkPolicy.servicesTo=[{"ipBlock":{"cidr":"fd00::/8"}}]'`,
    'cidr: fd00::/8',
  ],
};

/** Values in use by default: each with options that switch it off alone, and a text that is then rendered less often. */
export const SWITCHED_OFF_ALONE = {
  'api.autoscaling': ['--set api.autoscaling.enabled=false', 'kind: HorizontalPodAutoscaler'],
  'generationWorker.autoscaling': ['--set generationWorker.autoscaling.enabled=false', 'kind: ScaledObject'],
  'webhookWorker.autoscaling': ['--set webhookWorker.autoscaling.enabled=false', 'webhook_deliveries'],
  'every autoscaler': [
    '--set api.autoscaling.enabled=false,generationWorker.autoscaling.enabled=false,webhookWorker.autoscaling.enabled=false',
    'keda.sh',
  ],
  networkPolicy: ['--set networkPolicy.enabled=false', 'kind: NetworkPolicy'],
  'networkPolicy.metricsFrom': ['--set networkPolicy.metricsFrom=null', 'port: 9464 }'],
  migration: ['--set migration.enabled=false', 'kind: Job'],
  podAnnotations: ['--set podAnnotations=null', 'prometheus.io/scrape'],
  'secrets of a store with roles': ['--set settings.S3_CREDENTIALS=role', 'S3_ACCESS_KEY'],
};

/** Lists the values that are empty or off by default and in no entry above, and those that are on and never switched off. */
export function listUntried(values, path = []) {
  const tried = (table) => Object.values(table).some(([options]) => options.includes(path.join('.')));
  if (values === true) {
    return tried(SWITCHED_OFF_ALONE) ? [] : [path.join('.')];
  }
  const isEmpty =
    values === '' || values === false || (typeof values === 'object' && Object.keys(values).length === 0);
  if (isEmpty) {
    return tried(USED_ALONE) ? [] : [path.join('.')];
  }
  return typeof values === 'object' && !Array.isArray(values)
    ? Object.entries(values).flatMap(([name, value]) => listUntried(value, [...path, name]))
    : [];
}
