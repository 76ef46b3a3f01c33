import { Loader } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { View } from '#shared/contract/viewing.ts'
import { type Begun, begin } from './beginning.ts'
import { type Bench, BenchContext } from './desk-context.ts'
import css from './frame.module.css'
import { Frame } from './frame.tsx'
import { Closed } from './landing.tsx'
import { words } from './words.ts'

/** The images of a view. */
export function Viewer({ view }: { view: View }) {
  const [begun] = useState(() => begin(view))
  const ended = useSyncExternalStore(begun.list.subscribe, () => begun.list.state().ended)
  const [left, setLeft] = useState('')
  const bench = useBegun(begun)
  if (left || ended) return <Closed why="view" sentence={left || ended} isFinal />
  if (bench instanceof Error) return <Closed why="browser" sentence={bench.message} isFinal />
  if (!bench) {
    return (
      <main className={css.starts}>
        <Loader size="sm" />
        <p role="status">{words.landing.opening}</p>
      </main>
    )
  }
  return (
    <BenchContext value={bench}>
      <Frame onClosed={setLeft} />
    </BenchContext>
  )
}

function useBegun(begun: Begun): Bench | Error | undefined {
  const [bench, setBench] = useState<Bench | Error>()
  useEffect(() => {
    let isLeft = false
    begun.bench.then(
      (bench) => isLeft || setBench(bench),
      (error: unknown) => isLeft || setBench(error instanceof Error ? error : new Error(String(error))),
    )
    return () => {
      isLeft = true
    }
  }, [begun])
  return bench
}
