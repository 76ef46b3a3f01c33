import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = import.meta.dirname
const order = (process.env.ISTHMUS_MUTATION_TESTS ?? '').split(' ')

/**
 * Runs test files in the order of the module's list: the first failure ends the run of a mutant.
 */
class ListedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      order.findIndex((path) => moduleId.endsWith(path))
    return files.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/** What `scripts/mutation.mjs` runs the unit tests with: no plug-ins, shared modules. */
export default defineConfig({
  root,
  test: {
    alias: {
      electron: join(root, 'test/support/electron.ts'),
      'electron-updater': join(root, 'test/support/electron-updater.ts'),
    },
    include: ['test/{shared,electron}/**/*.test.ts'],
    setupFiles: [join(root, 'test/support/message-equality.ts')],
    isolate: false,
    testTimeout: 30_000,
    sequence: { sequencer: ListedOrder },
  },
})
