import {
  IconAppWindow,
  IconCamera,
  IconCube,
  IconCube3dSphere,
  IconFiles,
  IconHistory,
  IconKeyboard,
  IconLayoutAlignMiddle,
  IconLayoutSidebar,
  IconPhotoUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconRulerMeasure,
  IconTextCaption,
} from '@tabler/icons-react'
import { type ReactNode, useDeferredValue } from 'react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { KeyImagesButton } from './documents/key-images-button.tsx'
import { FaultsButton } from './faults-button.tsx'
import { MEASURING_TOOLS, NAVIGATION_TOOLS } from './icons.ts'
import { LayoutMenu } from './layout-menu.tsx'
import { LinkMenu } from './link-menu.tsx'
import { MoreMenu } from './more-menu.tsx'
import { PresetMenu } from './preset-menu.tsx'
import { SlabMenu } from './slab-menu.tsx'
import { CommandButton } from './tool-button.tsx'
import { ToolMenu, ToolRow } from './tool-row.tsx'
import css from './toolbar.module.css'
import { TransformMenu, TransformRow } from './transform-row.tsx'
import {
  useActivePaneId,
  useImages,
  usePaneState,
  useViewerContext,
  useViewerState,
} from './viewer-context.ts'

/**
 * Widths of the page, in CSS pixels, from which tools stand in the bar that are in a menu below it.
 */
const WIDE_WIDTH = 1560
const MEDIUM_WIDTH = 1180
const NARROW = 820

/** What can be done with the images: of the active pane, and of the screen. */
export function Toolbar({ width }: { width: number }) {
  // They are made after the panes, whose first image would wait for them.
  const hasTools = useDeferredValue(true, false)
  return (
    <div className={css.bar} role="toolbar" aria-label={t('ui.viewer.toolbar.all')}>
      {hasTools && <Tools width={width} />}
    </div>
  )
}

function Tools({ width }: { width: number }) {
  const isWide = width >= WIDE_WIDTH
  const isMedium = width >= MEDIUM_WIDTH
  const isNarrow = width < NARROW
  return (
    <>
      <Group label={t('ui.viewer.toolbar.tools')}>
        <RailButton />
        <ToolRow tools={isNarrow ? ['window', 'scroll'] : NAVIGATION_TOOLS} />
        {isWide ? (
          <ToolRow tools={MEASURING_TOOLS} />
        ) : (
          <ToolMenu
            tools={isNarrow ? [...NAVIGATION_TOOLS.slice(1), ...MEASURING_TOOLS] : MEASURING_TOOLS}
          />
        )}
      </Group>
      <Group label={t('ui.viewer.toolbar.image')}>
        <PresetMenu />
        {isMedium ? <TransformRow /> : <TransformMenu />}
      </Group>
      <Group label={t('ui.viewer.toolbar.screen')}>
        <LayoutMenu />
        <PlanesButton />
        <VolumeTools />
        <CineButton />
        {!isNarrow && <ScreenButtons />}
        <CaptureButton />
      </Group>
      <div className={css.gap} />
      <Group label={t('ui.viewer.toolbar.lists')}>
        <FaultsButton />
        {isWide && <CommandButton command="secondWindow" icon={IconAppWindow} />}
        {!isNarrow && <ListButtons />}
        <MoreMenu hasAll={isNarrow} />
      </Group>
    </>
  )
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" aria-label={label} className={css.group}>
      {children}
    </div>
  )
}

function RailButton() {
  const isOn = useViewerState((state) => state.isRailOpen)
  return <CommandButton command="series" icon={IconLayoutSidebar} isOn={isOn} />
}

function PlanesButton() {
  const isOn = useViewerState((state) => state.planesOf !== null)
  const why = usePaneState(useActivePaneId(), ({ series }) =>
    series ? series.whyNoVolume && translateMessage(series.whyNoVolume) : t('ui.viewer.pane.empty'),
  )
  return (
    <CommandButton
      command="planes"
      icon={IconCube3dSphere}
      isOn={isOn}
      whyNot={isOn ? '' : (why ?? '')}
    />
  )
}

/** What is there where a volume is shown. */
function VolumeTools() {
  const isShown = useViewerState((state) => state.planesOf !== null)
  const hasVolume = useViewerState((state) => state.hasVolume)
  if (!isShown) return null
  return (
    <>
      <SlabMenu />
      <CommandButton command="volume" icon={IconCube} isOn={hasVolume} />
    </>
  )
}

function CineButton() {
  const paneId = useActivePaneId()
  const isOn = usePaneState(paneId, ({ isPlaying }) => isPlaying)
  const isOne = usePaneState(paneId, ({ count }) => count < 2)
  return (
    <CommandButton
      command="cine"
      icon={isOn ? IconPlayerPause : IconPlayerPlay}
      isOn={isOn}
      whyNot={isOne ? t('ui.viewer.cine.not') : ''}
    />
  )
}

function ScreenButtons() {
  const hasLines = useViewerState((state) => state.hasLines)
  const hasOverlay = useViewerState((state) => state.hasOverlay)
  return (
    <>
      <LinkMenu />
      <CommandButton command="lines" icon={IconLayoutAlignMiddle} isOn={hasLines} />
      <CommandButton command="overlay" icon={IconTextCaption} isOn={hasOverlay} />
    </>
  )
}

function CaptureButton() {
  const { viewerStore } = useViewerContext()
  const isNothing = usePaneState(
    useActivePaneId(),
    ({ series, problem }) => !series || problem !== null,
  )
  const { whyNoCapture } = viewerStore.view
  return (
    <CommandButton
      command="capture"
      icon={IconCamera}
      whyNot={
        whyNoCapture
          ? translateMessage(whyNoCapture)
          : isNothing
            ? t('ui.viewer.capture.nothing')
            : ''
      }
    />
  )
}

function ListButtons() {
  const drawer = useViewerState((state) => state.drawer)
  const { media } = useImages()
  return (
    <>
      <CommandButton command="priors" icon={IconHistory} isOn={drawer === 'priors'} />
      {media.length > 0 && (
        <CommandButton command="media" icon={IconFiles} isOn={drawer === 'media'} />
      )}
      <KeyImagesButton />
      <CommandButton command="drawings" icon={IconRulerMeasure} isOn={drawer === 'drawings'} />
      <CommandButton command="captures" icon={IconPhotoUp} isOn={drawer === 'captures'} />
      <CommandButton command="sheet" icon={IconKeyboard} />
    </>
  )
}
