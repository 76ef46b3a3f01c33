import { createHash } from 'node:crypto'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { builtinModules } from 'node:module'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin, Rolldown } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { catalogues, serverTexts } from './scripts/vite/catalogues.ts'
import { contractWithoutSchemas } from './scripts/vite/contract.ts'
import { engineParts } from './scripts/vite/engine-parts.ts'
import { helpSite, SITE_SCRIPT } from './scripts/vite/help-site.ts'

const root = import.meta.dirname

/**
 * An import of `node:http` by its name makes Node load its own copy of undici, for the classes of
 * WebSocket that it exports: 30 ms of the start and 4 MiB that nothing here uses.
 */
const httpWithoutUndici = (): Plugin => ({
  name: 'http-without-undici',
  applyToEnvironment: ({ name }) => name === 'node',
  enforce: 'pre',
  resolveId: (source) => (/^(node:)?http$/.test(source) ? HTTP_OF_NODE : null),
  load: {
    filter: { id: /http-of-node$/ },
    handler: () => {
      const names = Object.keys(http).filter((name) => !/^(WebSocket|\w+Event)$/.test(name))
      return `const http = process.getBuiltinModule('node:http')
        export default http
        export const { ${names.join(', ')} } = http`
    },
  },
})
const HTTP_OF_NODE = '\0http-of-node'

// Packages with a binary of their own stay outside, and so does the data dictionary, which is data.
// The rest is one file: it starts in half the time and takes less memory than some 500 files of
// packages.
const external = [
  'electron',
  ...builtinModules.filter((name) => name !== 'http').flatMap((name) => [name, `node:${name}`]),
  ...['better-sqlite3', 'dcmjs', 'dicom-dimse-native'].flatMap((name) => [
    name,
    new RegExp(`^${name}/`),
  ]),
]

/**
 * Names stay, so that a stack trace in a log can be read. V8 keeps the source of what it runs: a
 * file with one character beyond Latin-1 takes two bytes for each of its characters.
 */
const SMALL_AND_LEGIBLE: Rolldown.OutputOptions['minify'] = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: true, asciiOnly: true },
}

// What `modules/reports/report-pdf-fonts.ts` reads; it finds them beside the built program. WOFF,
// because pdfkit takes no WOFF2.
const reportFonts = (): Plugin => ({
  name: 'report-fonts',
  applyToEnvironment: ({ name }) => name === 'node',
  generateBundle() {
    for (const name of ['noto-sans', 'noto-sans-jp']) {
      const folder = join(root, 'node_modules/@fontsource', name)
      const wanted = readdirSync(join(folder, 'files')).filter((file) =>
        /^noto-sans-(jp-\d+|(?!jp-).+)-[47]00-normal\.woff$/.test(file),
      )
      for (const file of wanted)
        this.emitFile({
          type: 'asset',
          fileName: `fonts/${file}`,
          source: readFileSync(join(folder, 'files', file)),
        })
      this.emitFile({
        type: 'asset',
        fileName: `fonts/LICENSE-${name}`,
        source: readFileSync(join(folder, 'LICENSE')),
      })
    }
  },
})

// What `dicom/thumbnails/image-codecs.ts` loads; it finds them beside the built program. As they are
// published: each is a module that is given its WebAssembly.
const imageCodecs = (): Plugin => ({
  name: 'image-codecs',
  applyToEnvironment: ({ name }) => name === 'node',
  generateBundle() {
    const codecs = [
      ['codec-charls', 'charlswasm_decode', 'cjs'],
      ['codec-libjpeg-turbo-8bit', 'libjpegturbowasm_decode', 'cjs'],
      ['codec-libjxl', 'jpegxlwasm_decode', 'mjs'],
      ['codec-openjpeg', 'openjpegwasm_decode', 'cjs'],
      ['codec-openjph', 'openjphjs', 'cjs'],
    ]
    for (const [name, file, script] of codecs)
      for (const [from, to] of [
        ['js', script],
        ['wasm', 'wasm'],
      ])
        this.emitFile({
          type: 'asset',
          fileName: `codecs/${file}.${to}`,
          source: readFileSync(
            join(root, `node_modules/@cornerstonejs/${name}/dist/${file}.${from}`),
          ),
        })
    // Of extended JPEG it is a script.
    const script = 'node_modules/@cornerstonejs/dicom-image-loader/dist/esm/codecs/jpeg.js'
    this.emitFile({
      type: 'asset',
      fileName: 'codecs/jpeg.mjs',
      source: readFileSync(join(root, script)),
    })
  },
})

// What `http/page.ts` serves in place of a file. Quality 9 takes two seconds for all. Quality 11
// makes a file a thirteenth smaller, but would take half a minute for all: the window's page and
// what it names, its first screen, are compressed with it.
const compressed = (): Plugin => ({
  name: 'compressed',
  applyToEnvironment: ({ name }) => name === 'client',
  async writeBundle({ dir = '' }, bundle) {
    const press = promisify(brotliCompress)
    const page = readFileSync(join(dir, 'index.html'), 'utf8')
    const files = Object.keys(bundle).filter((name) => /\.(js|css|html|json|wasm)$/.test(name))
    await Promise.all(
      files.map(async (name) => {
        const bytes = readFileSync(join(dir, name))
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: page.includes(name) ? 11 : 9,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        }
        const pressed = await press(bytes, { params })
        if (pressed.length < bytes.length) writeFileSync(join(dir, `${name}.br`), pressed)
      }),
    )
  },
})

// Each page names the parts of its first screen, so that they come with the page and not one after
// another. The styles of the viewer come with its parts: in the page, its first script, which opens
// the view, would wait for them.
const FIRST_PARTS: Readonly<Record<string, readonly string[]>> = {
  'index.html': ['app/main.tsx', 'features/dashboard/dashboard.tsx'],
  'viewer.html': ['main.tsx', 'viewer.tsx', 'beginning.ts', 'engine/engine.ts'].map(
    (part) => `viewer/${part}`,
  ),
}
const firstScreen = (): Plugin => ({
  name: 'first-screen',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle, filename }) {
      const page = basename(filename)
      const parts = FIRST_PARTS[page]
      if (!bundle || !parts) return []
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const scripts = new Set<string>()
      const styles = new Set<string>()
      const take = (fileName: string) => {
        const chunk = chunks.find((one) => one.fileName === fileName)
        if (!chunk || scripts.has(fileName)) return
        scripts.add(fileName)
        for (const imported of chunk.imports) take(imported)
        for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style)
      }
      for (const part of parts) {
        const own = join(root, 'renderer/src', part)
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === own)
        if (!chunk) throw new Error(`The first screen has no part ${part}.`)
        take(chunk.fileName)
      }
      const entries = chunks.filter(({ isEntry }) => isEntry)
      const early = entries.find(({ imports }) =>
        imports.some((name) => chunks.find((one) => one.fileName === name)?.name === 'first'),
      )
      if (early) throw new Error(`${early.name} would show codes: it needs texts before they come.`)
      const entry = entries.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${page}`))
      const known = new Set([entry?.fileName, ...(entry?.imports ?? [])])
      return [
        ...[...scripts]
          .filter((name) => !known.has(name))
          .map((name) => linkTo('modulepreload', name)),
        ...(page === 'index.html' ? [...styles] : []).map((name) => linkTo('stylesheet', name)),
      ]
    },
  },
})

const contractVersion = () =>
  createHash('sha256')
    .update(
      globSync('shared/{*,contract/*,messages/*}.ts', { cwd: root })
        .sort()
        .map((file) => readFileSync(join(root, file), 'utf8'))
        .join('\0'),
    )
    .digest('hex')
    .slice(0, 16)

const linkTo = (rel: string, name: string) => ({
  tag: 'link',
  attrs: { rel, crossorigin: true, href: `/${name}` },
  injectTo: 'head' as const,
})

/**
 * The page's first script, which imports nothing else: other modules have texts in constants, so
 * they are evaluated after the catalogue has come.
 */
const BOOT = new RegExp(
  [
    'renderer/src/(i18n/|ui/(not-started|copy-text)|format/(error-reference|random-id)|api/(client|preload))',
    'shared/(contract-version|view-paths|contract/viewing|messages/message)\\.ts$',
    'node_modules/(intl-messageformat|@formatjs)/',
  ].join('|'),
)
/**
 * What every screen needs, with what it imports, in one file: a browser reads six files at once over
 * HTTP/1.1, and one file is smaller than thirty, since Brotli finds more that is alike. All pages
 * load it after their texts.
 */
const FIRST = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|clsx)/',
    'node_modules/@tanstack/(react-router|router-core|history|store|react-store)/',
    'node_modules/@mantine/core/esm/(core/MantineProvider/MantineProvider|components/Text/Text)\\.',
    'node_modules/@tanstack/react-query/build/modern/QueryClientProvider',
    'renderer/src/(app/shell/(shell|error-screen)|ui/(theme|person-name|section-tabs))\\.tsx?$',
  ].join('|'),
)
/** Parts of the homes, each with what it imports: small files. */
const HOMES = new RegExp(
  [
    'renderer/src/features/dashboard/(items|exam-line)\\.tsx$',
    '@tabler/icons-react/dist/esm/icons/IconHelpCircle\\.',
  ].join('|'),
)
const CRITICAL = /renderer\/src\/features\/dashboard\/critical-panel\.tsx$/
const SEARCH_BOX = /renderer\/src\/ui\/study-list\/search-box\.tsx$|\/use-debounced-value\.\w+$/
const INPUTS = /node_modules\/@mantine\/core\/esm\/components\/(CloseButton|TextInput)\//
/** Controls that are not on the first screen (decision 0079), and that several screens have. */
const CONTROLS = /node_modules\/(@floating-ui|@mantine|@tabler)\/.*js$/
/** Screens with which people begin who have a bookmark of them. */
const OPENED_DIRECTLY = /\/(reading-list|worklist)-[^/]*\.js$/
const FIRST_SCRIPT = /\/(first|main)-[^/]*\.js$/

// The image loader (5.14) keeps one decoder of JPEG, JPEG-LS, JPEG 2000 and JPEG XL for all images.
// One that cannot read an image gives the pixels of the image before it again, which may be another
// patient's: each image gets a new decoder.
const newDecoderForEachImage = (): Plugin => ({
  name: 'new-decoder-for-each-image',
  transform: {
    filter: { id: /dicom-image-loader\/dist\/esm\/shared\/decoders\/decode\w+\.js/ },
    handler(code, id) {
      const kept = 'const decoder = local.decoder;'
      const name = /local\.decoder = new instance\.(\w+)\(\)/.exec(code)?.[1]
      const isNew = !code.includes('local.decoder') || /const decoder = new local\.\w+/.test(code)
      if (isNew) return null
      if (!name || code.split(kept).length !== 2)
        return this.error(`${id} makes its decoder in another way than this plug-in knows.`)
      const made = `local.decoder.delete(); const decoder = (local.decoder = new local.codec.${name}());`
      return { code: code.replace(kept, made), map: null }
    },
  },
})

// The codecs of images ask for these where they find Node, which they do not in the page.
const NODE_PARTS_OF_CODECS =
  /^Module "(fs|path|url)" has been externalized for browser compatibility, imported by ".*node_modules\/(@cornerstonejs|@oozcitak)\//
const quietly: Pick<Rolldown.InputOptions, 'onLog' | 'checks'> = {
  // How long plug-ins took is no warning for whoever builds the program once.
  checks: { pluginTimings: false },
  onLog(level, log, handler) {
    if (!NODE_PARTS_OF_CODECS.test(log.message)) handler(level, log)
  },
}

const NEED_ISOLATION = [
  // They replace modules of Electron, which a file that shares its modules with others cannot do.
  'test/electron/main.test.ts',
  'test/electron/main-second.test.ts',
  'test/electron/preload.test.ts',
  'test/electron/desktop/native-workers.test.ts',
  // They replace queries, which a file that shares its modules with others cannot do.
  'test/electron/server/jobs/outbox-worker.test.ts',
  'test/electron/server/modules/dashboard/today-items.test.ts',
  'test/electron/server/modules/worklist/repeated-queries.test.ts',
  'test/electron/server/modules/worklist/worklist-correlation.test.ts',
  // They expect that no timer is left in the process, where earlier files may have left some.
  'test/electron/server/modules/control/control.test.ts',
  'test/electron/server/dicom/upper-layer/association.properties.test.ts',
  'test/electron/server/dicom/upper-layer/operations.properties.test.ts',
  'test/electron/server/dicom/scu/requestor.properties.test.ts',
]

// One more than there are cores, and at least three: most tests wait for processes, sockets and
// disks.
const WORKERS = Math.max(3, availableParallelism() + 1)
const PROCESSES = { hookTimeout: 60_000, maxWorkers: WORKERS }
// Half of the unit tests wait for a disk. They prove nothing about it, unlike the others, which
// stay on the real one.
const UNIT = {
  testTimeout: 20_000,
  maxWorkers: WORKERS,
  env: process.env.ISTHMUS_MEMORY ? { TMPDIR: process.env.ISTHMUS_MEMORY } : {},
}

/**
 * Files of test/ that take longest, the longest first: one that began last would leave the other
 * workers idle.
 */
const LONGEST = [
  ...['crash/kill-rounds', 'interop/judges', 'flows/commands', 'flows/standby', 'flows/rescue'],
  ...[
    'crash/power-loss',
    'flows/soak',
    'crash/corrections',
    'interop/fault-matrix',
    'crash/gateway-images',
    'interop/hostile-modality',
  ],
  ...[
    'crash/gateway-restore',
    'interop/storage',
    'flows/desktop',
    'crash/gateway-reports',
    'interop/hostile-partner',
  ],
  ...[
    'flows/key-store',
    'interop/corrections',
    'flows/documents',
    'crash/upgrade',
    'flows/restore',
    'interop/character-set-pydicom',
  ],
]

/**
 * The longest files, then the other ones that wait for processes, then the unit tests, which are
 * many and short.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      if (at >= 0) return at
      return LONGEST.length + (project.name === 'unit' ? 1 : 0)
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

// One `vite build` makes the page, the Node side (Electron main and the gateway's own process) and
// the preload script.
export default defineConfig({
  root: join(root, 'renderer'),
  base: '/',
  plugins: [
    react(),
    reportFonts(),
    imageCodecs(),
    httpWithoutUndici(),
    firstScreen(),
    helpSite(root),
    compressed(),
    newDecoderForEachImage(),
    engineParts(),
    contractWithoutSchemas(),
    catalogues(),
    serverTexts(),
  ],
  define: { __CONTRACT_VERSION__: JSON.stringify(contractVersion()) },
  // The engine of the viewer, which its page alone loads.
  build: {
    sourcemap: true,
    chunkSizeWarningLimit: 5000,
    // Every browser that runs the window knows it.
    modulePreload: {
      polyfill: false,
      // Lists of what each screen imports would be an eighth of the window's own first scripts.
      // The other screens are loaded in advance.
      resolveDependencies: (file, imported, { hostId, hostType }) =>
        hostType === 'js' && FIRST_SCRIPT.test(hostId) && !OPENED_DIRECTLY.test(file)
          ? []
          : imported,
    },
    rolldownOptions: quietly,
  },
  // The image decoder starts module workers of its own; the dev server takes it as it is, with its
  // CommonJS parts bundled one by one.
  worker: {
    format: 'es',
    plugins: () => [newDecoderForEachImage(), engineParts()],
    rolldownOptions: quietly,
  },
  optimizeDeps: {
    exclude: ['@cornerstonejs/dicom-image-loader'],
    include: [
      '@cornerstonejs/codec-charls/decodewasmjs',
      '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs',
      '@cornerstonejs/codec-libjxl/decodewasmjs',
      '@cornerstonejs/codec-openjpeg/decodewasmjs',
      '@cornerstonejs/codec-openjph/wasmjs',
      '@cornerstonejs/jpeg-lossless-decoder-js',
      '@cornerstonejs/metadata',
      'dicom-parser',
    ],
  },
  server: {
    proxy: {
      '/dashboard': 'http://127.0.0.1:8042',
      '/help': 'http://127.0.0.1:8042',
      '/v1': 'http://127.0.0.1:8042',
      '/viewer': 'http://127.0.0.1:8042',
    },
  },
  test: {
    root,
    alias: {
      electron: join(root, 'test/support/electron.ts'),
      'electron-updater': join(root, 'test/support/electron-updater.ts'),
    },
    setupFiles: [join(root, 'test/support/message-equality.ts')],
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{shared,electron,renderer}/**/*.test.ts', 'test/*.test.ts'],
          exclude: NEED_ISOLATION,
          isolate: false,
          ...UNIT,
        },
      },
      { extends: true, test: { name: 'isolated', include: NEED_ISOLATION, ...UNIT } },
      // Processes that are killed and disks that lose what was not synced.
      {
        extends: true,
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          testTimeout: 60_000,
          ...PROCESSES,
        },
      },
      {
        extends: true,
        test: {
          name: 'flows',
          include: ['test/flows/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          ...PROCESSES,
        },
      },
      {
        extends: true,
        test: { name: 'attacks', include: ['test/attacks/**/*.test.ts'], ...PROCESSES },
      },
      {
        extends: true,
        test: {
          name: 'interop',
          include: ['test/interop/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
          ...PROCESSES,
        },
      },
    ],
  },
  builder: {},
  environments: {
    // The viewer is a page of its own: it alone may run WebAssembly, and the window never loads it.
    client: {
      build: {
        outDir: join(root, 'dist/renderer'),
        emptyOutDir: true,
        rolldownOptions: {
          input: [
            ...['index.html', 'viewer.html', 'rescue.html'].map((page) =>
              join(root, 'renderer', page),
            ),
            join(root, SITE_SCRIPT),
          ],
          output: {
            codeSplitting: {
              groups: [
                // Alone, so that it is executed before everything else.
                { name: 'no-eval', test: /\/renderer\/src\/ui\/no-eval\.ts$/, priority: 3 },
                { name: 'boot', test: BOOT, priority: 2 },
                { name: 'first', test: FIRST, priority: 1 },
                { name: 'homes', test: HOMES },
                { name: 'inputs', test: INPUTS },
                { name: 'critical-panel', test: CRITICAL },
                { name: 'search-box', test: SEARCH_BOX },
                { name: 'controls', test: CONTROLS, minShareCount: 2 },
              ],
            },
          },
        },
      },
    },
    node: {
      consumer: 'server',
      resolve: { noExternal: true },
      build: {
        copyPublicDir: false,
        outDir: join(root, 'dist/electron'),
        emptyOutDir: true,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: {
            main: join(root, 'electron/main.ts'),
            headless: join(root, 'electron/headless.ts'),
            'native-worker': join(root, 'electron/server/dicom/transcoding/native-worker.ts'),
            'thumbnail-worker': join(root, 'electron/server/dicom/thumbnails/thumbnail-worker.ts'),
          },
          external,
          output: { format: 'es', entryFileNames: '[name].js', minify: SMALL_AND_LEGIBLE },
        },
      },
    },
    preload: {
      consumer: 'server',
      build: {
        copyPublicDir: false,
        outDir: join(root, 'dist/electron'),
        emptyOutDir: false,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: { preload: join(root, 'electron/preload.ts') },
          external,
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
  },
})
