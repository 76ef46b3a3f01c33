import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { keyOf } from '../../api/queries.ts'
import {
  type Change,
  inverseChange,
  sendStudyChange,
} from '../../ui/study-list/use-study-actions.ts'
import { LIST_CHANGES } from '../../ui/study-list/use-study-list.ts'
import { type BulkResult, type BulkState, runBulk } from './bulk-run.ts'

/** The same change of many studies: begun, stopped, undone, and what became of each. */
export function useBulk(studies: readonly WindowStudy[]) {
  const client = useQueryClient()
  const [results, setResults] = useState<readonly BulkResult[]>([])
  const [isRunning, setIsRunning] = useState(false)
  const running = useRef(new AbortController())

  const run = async (
    changes: ReadonlyMap<string, () => Promise<void>>,
    onResult: (now: readonly BulkResult[]) => void,
  ) => {
    running.current = new AbortController()
    setIsRunning(true)
    await runBulk([...changes.keys()], (id) => changes.get(id)?.() ?? Promise.resolve(), {
      signal: running.current.signal,
      onResult,
    })
    setIsRunning(false)
    for (const changed of LIST_CHANGES) void client.invalidateQueries({ queryKey: keyOf(changed) })
  }
  const inState = (state: BulkState) => results.filter((result) => result.state === state)
  return {
    results,
    isRunning,
    done: inState('done').length,
    failed: inState('failed').length,
    finished: results.length - inState('waiting').length,
    begin: (change: Change) =>
      void run(
        new Map(studies.map((study) => [study.studyId, () => sendStudyChange(study, change)])),
        setResults,
      ),
    stop: () => running.current.abort(),
    /** Takes back what was done of the change. */
    undo(change: Change) {
      const before = results
      const done = new Set(inState('done').map(({ id }) => id))
      const undone = studies.filter(({ studyId }) => done.has(studyId))
      void run(
        new Map(
          undone.map((study) => [
            study.studyId,
            () => sendStudyChange(study, inverseChange(study, change)),
          ]),
        ),
        (now) => setResults(before.map((result) => afterUndo(result, now))),
      )
    },
  }
}

/** What was left as it is by the undoing stays done. */
function afterUndo(result: BulkResult, undoing: readonly BulkResult[]): BulkResult {
  const undone = undoing.find(({ id }) => id === result.id)
  if (!undone || undone.state === 'waiting' || undone.state === 'stopped') return result
  return undone.state === 'done' ? { ...undone, state: 'undone' } : undone
}
