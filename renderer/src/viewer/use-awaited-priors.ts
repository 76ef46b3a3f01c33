import { useEffect } from 'react'
import { beside, counterpart } from './board.ts'
import { useBench, useDesk, useImages } from './desk-context.ts'
import { hangableOf, hangablesOf } from './hangables.ts'

/** Hangs an earlier study beside as soon as its series are there. */
export function useAwaitedPriors(): void {
  const { desk } = useBench()
  const awaited = useDesk((state) => state.awaitedPriors)
  const images = useImages()
  useEffect(() => {
    for (const studyUid of awaited) {
      const study = images.studies.find(({ study }) => study.studyInstanceUid === studyUid)
      const { board } = desk.state()
      const now = hangablesOf(images).find(
        ({ seriesKey }) => seriesKey === board.panes[board.active]?.seriesKey,
      )
      const found = counterpart(now, study?.series.map(hangableOf) ?? [])
      if (!found) continue
      desk.set((state) => ({
        board: beside(state.board, found.seriesKey),
        planesOf: null,
        awaitedPriors: state.awaitedPriors.filter((one) => one !== studyUid),
      }))
    }
  }, [desk, awaited, images])
}
