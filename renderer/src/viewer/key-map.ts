import { keyText as textOf } from '../ui/key-names.tsx'

/**
 * What the viewer can be told to do, by group, and the keys for it, as in `Shortcut.keys`. A command
 * without a key has a button alone.
 */
export const KEYS = {
  images: {
    next: ['arrowdown', 'arrowright'],
    previous: ['arrowup', 'arrowleft'],
    tenOn: ['pagedown'],
    tenBack: ['pageup'],
    first: ['home'],
    last: ['end'],
    cine: ['space'],
    seriesNext: ['shift+arrowdown'],
    seriesPrevious: ['shift+arrowup'],
    keyImage: ['shift+k'],
  },
  panes: {
    paneNext: ['shift+arrowright'],
    panePrevious: ['shift+arrowleft'],
    alone: ['enter'],
    layout1: ['shift+1'],
    layout2: ['shift+2'],
    layout3: ['shift+3'],
    layout4: ['shift+4'],
    layout5: ['shift+5'],
    layout6: ['shift+6'],
    undoLayout: ['shift+u'],
    planes: ['m'],
    volume: ['shift+v'],
    slab: ['shift+s'],
    link: ['k'],
    lines: ['n'],
  },
  tools: {
    toolWindow: ['w'],
    toolPan: ['p'],
    toolZoom: ['z'],
    toolScroll: ['s'],
    toolLength: ['l'],
    toolAngle: ['a'],
    toolCobb: ['g'],
    toolBidirectional: ['shift+a'],
    toolRectangle: ['q'],
    toolEllipse: ['e'],
    toolFreehand: ['d'],
    toolProbe: ['b'],
    toolArrow: ['t'],
    toolText: ['shift+t'],
    toolMagnify: ['x'],
    toolEraser: ['shift+e'],
    deleteDrawing: ['delete', 'backspace'],
  },
  windows: {
    preset1: ['1'],
    preset2: ['2'],
    preset3: ['3'],
    preset4: ['4'],
    preset5: ['5'],
    preset6: ['6'],
    preset7: ['7'],
    preset8: ['8'],
    preset9: ['9'],
  },
  picture: {
    rotate: ['r'],
    rotateBack: ['shift+r'],
    flipHorizontally: ['f'],
    flipVertically: ['v'],
    invert: ['i'],
    zoomIn: ['+'],
    zoomOut: ['-'],
    fit: ['0'],
    oneToOne: ['='],
    smooth: [],
    reset: ['u'],
  },
  screen: {
    overlay: ['o'],
    secondWindow: ['shift+n'],
    anonymous: [],
    series: ['y'],
    priors: ['h'],
    layouts: ['shift+y'],
    media: ['shift+h'],
    drawings: ['shift+l'],
    faults: ['shift+m'],
    elements: ['shift+i'],
    capture: ['c'],
    captures: ['shift+c'],
    sheet: ['?'],
    help: ['f1'],
    close: [],
    escape: ['escape'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

type Groups = typeof KEYS
export type KeyGroup = keyof Groups
export type Command = { [G in KeyGroup]: keyof Groups[G] }[KeyGroup]

const ALL = Object.assign({}, ...Object.values(KEYS)) as Readonly<
  Record<Command, readonly string[]>
>

/** How the keys of a command are written, for a tooltip; empty where it has none. */
export const keyText = (command: Command): string => ALL[command].map(textOf).join(' / ')
