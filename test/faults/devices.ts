import { ofArea } from './fault.ts'

export const commitment = ofArea('COM', [
  {
    promise: 'P-COM-02',
    what: 'an image is confirmed though the version that the device sent is set aside',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: "if (!version || version.state === 'quarantined') return",
    replace: 'if (!version) return',
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
  {
    promise: 'P-COM-02',
    what: 'an image is confirmed though its file is shorter than received',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: 'const isKept = size === version.bytes &&',
    replace: 'const isKept = size !== undefined &&',
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
  {
    promise: 'P-COM-02',
    what: 'an incomplete image is confirmed once a person let it in',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: "if (structure !== 'unchecked') return structure === 'complete'",
    replace: "if (structure !== 'unchecked') return true",
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
  {
    promise: 'P-COM-05',
    what: 'what another system sent is confirmed to a device in the place of its own',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: 'versions.findLast(({ callingAeTitle }) => aeTitleKey(callingAeTitle) === aeTitleKey(requester.callingAeTitle)) ??',
    replace: '',
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
  {
    promise: 'P-COM-04',
    what: 'a result that could not be delivered is given up after its first day',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: 'if (nextAt > msOf(requestedAt) + MAX_RETRY_PERIOD_MS) {',
    replace: 'if (nextAt > msOf(requestedAt) + MAX_RETRY_PERIOD_MS / 3) {',
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
  {
    promise: 'P-COM-01',
    what: 'storage commitment answers though it is switched off',
    file: 'electron/server/modules/commitment/commitment.ts',
    find: "if (!this.#context.settings.get('commitment.isOn')) throw",
    replace: "if (this.#context.settings.get('commitment.isOn') === undefined) throw",
    tests: 'electron/server/modules/commitment/commitment.test.ts',
  },
])

export const performedSteps = ofArea('MPP', [
  {
    promise: 'P-MPP-01',
    what: 'a step that is over can be changed',
    file: 'electron/server/modules/images/performed-step-scp.ts',
    find: "if (before.status !== 'IN PROGRESS') return NO_LONGER_UPDATED",
    replace: "if (before.status === 'DISCONTINUED') return NO_LONGER_UPDATED",
    tests: 'electron/server/modules/images/performed-step-scp.test.ts',
  },
  {
    promise: 'P-MPP-04',
    what: 'a second N-CREATE overwrites the step',
    file: 'electron/server/modules/images/performed-step-scp.ts',
    find: 'if (findPerformedStep(database, sopInstanceUid)) return false',
    replace: `if (findPerformedStep(database, sopInstanceUid)) {
        updatePerformedStep(database, step)
        return true
      }`,
    tests: 'electron/server/modules/images/performed-step-scp.test.ts',
  },
  {
    promise: 'P-MPP-03',
    what: 'images of a step under the wrong worklist entry stay in their study',
    file: 'electron/server/modules/images/performed-step-scp.ts',
    find: "if (step.status === 'DISCONTINUED' && step.discontinuationCode === WRONG_ENTRY_CODE) {",
    replace: "if (step.status === 'COMPLETED' && step.discontinuationCode === WRONG_ENTRY_CODE) {",
    tests: 'electron/server/modules/images/performed-step-scp.test.ts',
  },
  {
    promise: 'P-MPP-01',
    what: 'a completed step needs no series',
    file: 'electron/server/modules/images/performed-step-scp.ts',
    find: "if (facts.status === 'COMPLETED' && !facts.hasSeries) throw",
    replace: "if (facts.status === 'DISCONTINUED' && !facts.hasSeries) throw",
    tests: 'electron/server/modules/images/performed-step-scp.test.ts',
  },
])
