import { Popover } from '@mantine/core'
import { IconChevronDown, IconStack2 } from '@tabler/icons-react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import type { Message } from '#shared/messages/message.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import type { PaneState } from '../engine/pane.ts'
import type { StackImage, StudyState } from '../engine/stack.ts'
import { useImages, usePane, useViewerContext } from '../viewer-context.ts'
import { isReferenced } from './belonging.ts'
import { type BuiltScene, buildScene } from './build-scene.ts'
import { isSamePatient, type Offers, offersFor } from './offers.ts'
import { OverlayChoices } from './overlay-choices.tsx'
import css from './pane-referencing.module.css'
import { buildPlaneScene } from './plane-scene.ts'
import { PresentationChoices } from './presentation-choices.tsx'
import type { LoadedReference } from './referencing-store.ts'
import { creatorOf, labelOf } from './referencing-text.ts'
import { colourAt, cssColour } from './scene.ts'

/** Entries of the legend on an image; the panel lists all of them. */
const MAX_LEGEND_ENTRIES = 8

/**
 * The objects that refer to the images of a pane: which presentation state and which overlays are
 * chosen, what of them is on the image, and what of them is not applied.
 */
export function PaneReferencing({ paneId, state }: { paneId: string; state: PaneState }) {
  const { studies } = useImages()
  const { referencing } = useViewerContext()
  const { objects } = useSyncExternalStore(referencing.subscribe, referencing.state)
  const { series } = state
  const offers = useMemo(
    () => (series ? offersFor(objects, series, studies) : undefined),
    [objects, series, studies],
  )
  const onImage = useScene(paneId, state)
  const onPlane = usePlaneScene(paneId, state, offers)
  const isOffered = offers && offers.presentations.length + offers.overlays.length > 0
  if (!isOffered || !series) return null
  if (state.kind === 'volume') return <VolumeNote offers={offers} />
  if (state.kind === 'stack')
    return <Panel paneId={paneId} state={state} offers={offers} built={onImage} />
  // A presentation state is for images, of which a plane shows none.
  const planeOffers = { ...offers, presentations: [] }
  if (planeOffers.overlays.length === 0) return null
  return <Panel paneId={paneId} state={state} offers={planeOffers} built={onPlane} />
}

/** Overlays that are switched on would be missed in a 3D rendering, where they are not drawn. */
function VolumeNote({ offers }: { offers: Offers }) {
  const { referencing } = useViewerContext()
  const hasHiddenOverlay = offers.overlays.some(
    ({ sopInstanceUid, whyNot }) => whyNot === null && referencing.shownOf(sopInstanceUid).isShown,
  )
  if (!hasHiddenOverlay) return null
  return (
    <div className={css.place} data-referencing>
      <p className={css.warnings} role="status">
        {t('ui.viewer.referencing.notInVolume')}
      </p>
    </div>
  )
}

/** Draws what is chosen, on the image that the pane shows and on no other one. */
function useScene(paneId: string, { series, image, isShown }: PaneState) {
  const pane = usePane(paneId)
  const { referencing, segmentFrames } = useViewerContext()
  const { studies } = useImages()
  const store = useSyncExternalStore(referencing.subscribe, referencing.state)
  const frames = useSyncExternalStore(segmentFrames.subscribe, segmentFrames.state)
  const chosen = series ? referencing.presentedIn(paneId, series.key) : null
  const loaded = chosen === null ? undefined : store.objects.get(chosen)
  const presentation = loaded && image ? presentationFor(loaded, image, studies) : null
  const drawn = useDrawnUids(presentation ? (series?.studyInstanceUid ?? '') : '')
  const built = useMemo(() => {
    if (!series || !image) return undefined
    const overlays = [...store.shown]
      .filter(([, { isShown }]) => isShown)
      .flatMap(([uid, shown]) => {
        const loaded = store.objects.get(uid)
        return loaded ? [[uid, loaded, shown] as const] : []
      })
    return buildScene(image, series, studies, presentation, drawn, overlays, frames)
  }, [series, image, studies, presentation, drawn, store, frames])
  useEffect(() => {
    if (isShown && image) pane.present(presentation)
  }, [pane, isShown, image, presentation])
  useEffect(() => pane.setScene(built?.scene ?? null), [pane, built])
  return built
}

/** Draws the overlays that are chosen, where the plane of a volume cuts them. */
function usePlaneScene(paneId: string, { kind, series }: PaneState, offers: Offers | undefined) {
  const pane = usePane(paneId)
  const { referencing, segmentVolumes } = useViewerContext()
  const { studies } = useImages()
  const { shown } = useSyncExternalStore(referencing.subscribe, referencing.state)
  const volumes = useSyncExternalStore(segmentVolumes.subscribe, segmentVolumes.state)
  const built = useMemo(() => {
    if (kind !== 'plane' || !series || !offers) return undefined
    const overlays = offers.overlays.flatMap(({ sopInstanceUid, loaded, whyNot }) => {
      const how = shown.get(sopInstanceUid)
      return whyNot === null && how?.isShown ? [[sopInstanceUid, loaded, how] as const] : []
    })
    return buildPlaneScene(series, studies, overlays, volumes)
  }, [kind, series, studies, offers, shown, volumes])
  useEffect(() => pane.setPlaneScene(built?.scene ?? null), [pane, built])
  return built
}

/** Tracking UIDs of what is drawn on a study; the same set until that changes. */
function useDrawnUids(studyInstanceUid: string): ReadonlySet<string> {
  const { drawings } = useViewerContext()
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const kept = studies.get(studyInstanceUid)?.drawings
  // biome-ignore lint/correctness/useExhaustiveDependencies: they change with what is drawn
  return useMemo(() => new Set(drawings.drawnUids(studyInstanceUid)), [drawings, kept])
}

/** The presentation state, if it is for this image and of its patient. */
function presentationFor(
  { instance, object }: LoadedReference,
  image: StackImage,
  studies: readonly StudyState[],
): PresentationState | null {
  if (object?.kind !== 'presentation-state') return null
  const isApplicable =
    isReferenced(object.references, image) && isSamePatient(instance, image.instance, studies)
  return isApplicable ? object : null
}

type BuildStatus = Pick<BuiltScene, 'onImage' | 'refusals' | 'isLoading'>

function Panel(props: {
  paneId: string
  state: PaneState
  offers: Offers
  built: BuildStatus | undefined
}) {
  const { paneId, state, offers, built } = props
  const { referencing } = useViewerContext()
  const [isOpen, setIsOpen] = useState(false)
  const key = state.series?.key ?? ''
  const chosen = referencing.presentedIn(paneId, key)
  return (
    <div className={css.place} data-referencing>
      <Popover
        opened={isOpen}
        onChange={setIsOpen}
        position="top"
        shadow="md"
        width={340}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <button
            type="button"
            className={css.button}
            data-chosen={chosen !== null || undefined}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            onDoubleClick={(event) => event.stopPropagation()}
          >
            <IconStack2 size={14} stroke={1.8} aria-hidden />
            <span>{buttonText(props, chosen)}</span>
            <IconChevronDown size={12} aria-hidden />
          </button>
        </Popover.Target>
        <Popover.Dropdown
          className={css.panel ?? ''}
          aria-label={t('ui.viewer.referencing.panel')}
          onDoubleClick={(event) => event.stopPropagation()}
          data-scrolls
        >
          {offers.presentations.length > 0 && (
            <PresentationChoices
              offers={offers.presentations}
              chosen={chosen}
              problem={state.presentationProblem}
              onChoose={(uid) => referencing.present(paneId, key, uid)}
            />
          )}
          {offers.overlays.length > 0 && (
            <OverlayChoices offers={offers.overlays} onImage={built?.onImage} />
          )}
          {offers.elsewhere > 0 && (
            <p className={css.note}>
              {t('ui.viewer.referencing.others', { count: offers.elsewhere })}
            </p>
          )}
        </Popover.Dropdown>
      </Popover>
      <Warnings state={state} built={built} chosen={chosen} />
      <Legend built={built} />
    </div>
  )
}

function buttonText(
  { state, offers }: { state: PaneState; offers: Offers },
  chosen: string | null,
): string {
  const offer = offers.presentations.find(({ sopInstanceUid }) => sopInstanceUid === chosen)
  if (offer && state.presentation) {
    const { label, creator } = { label: labelOf(offer.loaded), creator: creatorOf(offer.loaded) }
    return t('ui.viewer.referencing.presented', {
      label: [label, creator].filter(Boolean).join(' · '),
    })
  }
  if (offer) return t('ui.viewer.referencing.asSent')
  return t('ui.viewer.referencing.offered', {
    states: offers.presentations.length,
    overlays: offers.overlays.length,
  })
}

/** What a person has to know before reading the image by what is chosen. */
function Warnings(props: {
  state: PaneState
  built: BuildStatus | undefined
  chosen: string | null
}) {
  const { state, built, chosen } = props
  const { referencing } = useViewerContext()
  const loaded = chosen === null ? undefined : referencing.state().objects.get(chosen)
  const isElsewhere = loaded?.object && state.isShown && state.presentation === null
  const said: Message[] = [
    ...(state.presentationProblem ? [state.presentationProblem] : []),
    ...(state.presentation ? (loaded?.object?.notApplied ?? []) : []),
    ...(built?.refusals.map(({ why }) => why) ?? []),
  ]
  const sentences = new Set(said.map((one) => translateMessage(one)))
  if (isElsewhere && loaded && !state.presentationProblem)
    sentences.add(t('ui.viewer.referencing.elsewhere', { label: labelOf(loaded) }))
  if (built?.isLoading) sentences.add(t('ui.viewer.referencing.loading'))
  if (sentences.size === 0) return null
  return (
    <ul className={css.warnings} role="status">
      {[...sentences].map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

/** Names and colours of what is drawn on this image. */
function Legend({ built }: { built: BuildStatus | undefined }) {
  const { referencing } = useViewerContext()
  const { objects } = referencing.state()
  const entries = [...(built?.onImage ?? [])].flatMap(([uid, numbers]) => {
    const object = objects.get(uid)?.object
    if (!object || object.kind === 'presentation-state') return []
    const { hidden } = referencing.shownOf(uid)
    const parts = object.kind === 'segmentation' ? object.segments : object.rois
    return parts.flatMap((part, index) =>
      numbers.has(part.number) && !hidden.has(part.number)
        ? [
            {
              key: `${uid} ${part.number}`,
              name: 'label' in part ? part.label || part.type : part.name,
              number: part.number,
              colour: colourAt(part.colour, index),
            },
          ]
        : [],
    )
  })
  if (entries.length === 0) return null
  return (
    <ul className={css.legend} aria-label={t('ui.viewer.referencing.legend')}>
      {entries.slice(0, MAX_LEGEND_ENTRIES).map(({ key, name, number, colour }) => (
        <li key={key}>
          <i style={{ background: cssColour(colour) }} aria-hidden="true" />
          {name || t('ui.viewer.referencing.unnamed', { number })}
        </li>
      ))}
      {entries.length > MAX_LEGEND_ENTRIES && (
        <li>{t('ui.viewer.referencing.more', { count: entries.length - MAX_LEGEND_ENTRIES })}</li>
      )}
    </ul>
  )
}
