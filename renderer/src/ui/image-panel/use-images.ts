import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { View } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import type { ProblemError } from '../../api/client.ts'
import { closeImagesWindow } from './held-window.ts'
import {
  isImagesWindowOpen,
  openImagesWindow,
  reloadImagesWindow,
  showInImagesWindow,
} from './images-window.ts'
import { type Choice, type ImagesMode, rememberChoice, rememberedChoice } from './remembered.ts'

/** Whether the person has closed the window with the images. */
const WINDOW_CHECK_INTERVAL_MS = 700

export interface StudyImages {
  readonly mode: ImagesMode
  /** Percent of the width, where they are beside. */
  readonly share: number
  /** The viewer's page; null until the view is open. */
  readonly page: string | null
  /** Grows when the page is to be loaded again. */
  readonly round: number
  readonly isOpening: boolean
  readonly error: ProblemError | null
  /** The window of their own is open. */
  readonly isWindowOpen: boolean
  /** The browser refused to open it. */
  readonly wasBlocked: boolean
  /** To be called while a click is handled. */
  choose(mode: ImagesMode): void
  split(share: number): void
  /** Loads the images again; where their view has ended, in another one. */
  again(): Promise<void>
}

/**
 * The images of the study whose report is open: where they are, as this person chose, and the view
 * they are shown by.
 * @param of names the study; `open` opens its view, or finds it open
 */
export function useImages(
  userId: string,
  of: string,
  open: () => Promise<View>,
  initial: ImagesMode,
): StudyImages {
  const [choice, setChoice] = useState<Choice>(() =>
    rememberedChoice(window.localStorage, userId, initial),
  )
  const [isWindowOpen, setIsWindowOpen] = useState(isImagesWindowOpen)
  const [wasBlocked, setWasBlocked] = useState(false)
  const [round, setRound] = useState(0)
  const { mode } = choice
  const isShown = mode === 'beside' || (mode === 'window' && isWindowOpen)
  const view = useQuery<View, ProblemError>({
    queryKey: ['view', userId, of],
    queryFn: open,
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
    // Asked for again when the study is opened again: it may have ended meanwhile.
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const page = view.data ? viewPaths.page(view.data.viewId) : null

  useEffect(() => {
    if (mode !== 'window') return
    showInImagesWindow(of, page)
    const timer = setInterval(() => setIsWindowOpen(isImagesWindowOpen()), WINDOW_CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [mode, of, page])

  const change = (part: Partial<Choice>) => {
    const next = { ...choice, ...part }
    setChoice(next)
    rememberChoice(window.localStorage, userId, next)
  }
  return {
    ...choice,
    ...{ page, round, isWindowOpen, wasBlocked },
    isOpening: view.isFetching,
    error: view.data ? null : view.error,
    choose(to) {
      if (to === 'window') {
        const isOpen = openImagesWindow(of, page)
        setWasBlocked(!isOpen)
        setIsWindowOpen(isOpen)
        if (isOpen) change({ mode: to })
        return
      }
      closeImagesWindow()
      setWasBlocked(false)
      setIsWindowOpen(false)
      change({ mode: to })
    },
    split: (share) => change({ share }),
    async again() {
      const { data } = await view.refetch()
      setRound((before) => before + 1)
      if (mode === 'window' && data?.viewId === view.data?.viewId) reloadImagesWindow()
    },
  }
}
