"""Makes DICOM files of every form of pixel data, and says how each is to be drawn.

make.py FOLDER: writes *.dcm and files.json. Each entry of files.json has
  name      of the file, without .dcm
  frames    numbers of the frames to compare, from 1
  how       options of dcm2pnm that choose the VOI transformation; null: the window that the viewer opens with
  of        the file that DCMTK draws in its place, where it cannot read this one's encoding
  pictures  PNM files that take the place of DCMTK's, one for each frame: by the formulas of PS3.3
  overlaid  the same with overlays in white
  uids      of the study, the series and the instance
  shape     height and width of a pixel
make.py FOLDER samples SOURCE: copies pydicom's samples from its folder, and says the same of them in samples.json.
make.py FOLDER wrap: puts the codestreams of wraps.json into files, and says the same of them in wrapped.json.

Needs pydicom; numpy is not used. Encodings come from DCMTK, and from GDCM where it is installed.
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import warnings

import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.filebase import DicomBytesIO
from pydicom.filewriter import write_dataset, write_file_meta_info
from pydicom.sequence import Sequence

warnings.simplefilter('ignore')
W, H = 45, 37
EXPLICIT, IMPLICIT, BIG, DEFLATED = '1.2.840.10008.1.2.1', '1.2.840.10008.1.2', '1.2.840.10008.1.2.2', '1.2.840.10008.1.2.1.99'
SC, CT, MR, PET, DX, US, XA = ('1.2.840.10008.5.1.4.1.1.' + uid for uid in ('7', '2', '4', '128', '1.1', '6.1', '12.1'))
ENHANCED_CT, ENHANCED_MR = '1.2.840.10008.5.1.4.1.1.2.1', '1.2.840.10008.5.1.4.1.1.4.1'
MULTI_BIT, MULTI_BYTE = '1.2.840.10008.5.1.4.1.1.7.1', '1.2.840.10008.5.1.4.1.1.7.2'
folder = sys.argv[1]
entries = []


def path(name, kind='dcm'):
    return os.path.join(folder, name + '.' + kind)


def uids(index):
    """Of one length, so that a copy can have its own by replacing bytes."""
    return ['2.25.9%05d%d' % (10000 + index, part) for part in (1, 2, 3)]


def ramp(least, greatest, w=W, h=H, turn=0):
    """A slope over the whole range with squares on it: each corner differs, and neighbours do."""
    span = greatest - least
    def at(x, y):
        share = 0.6 * x / (w - 1) + 0.4 * y / (h - 1) + (0.06 if (x // 5 + y // 5 + turn) % 2 else 0)
        return least + int(min(1, share) * span)
    return [at(x, y) for y in range(h) for x in range(w)]


FORMATS = {(8, 0): 'B', (8, 1): 'b', (16, 0): 'H', (16, 1): 'h', (32, 0): 'I', (32, 1): 'i', (64, 0): 'Q', (64, 1): 'q'}


def packed(values, allocated, sign=0, order='<'):
    if allocated == 1:
        out = bytearray((len(values) + 7) // 8)
        for n, value in enumerate(values):
            out[n >> 3] |= value << (n & 7)
        data = bytes(out)
    else:
        data = struct.pack('%s%d%s' % (order, len(values), FORMATS[allocated, sign]), *values)
    return data + b'\0' * (len(data) % 2)


def write(name, ds, syntax=EXPLICIT, how=None, frames=(1,), of=None, pictures=None, overlaid=None):
    study, series, sop = uids(len(entries))
    ds.SOPInstanceUID, ds.StudyInstanceUID, ds.SeriesInstanceUID = sop, study, series
    ds.PatientName, ds.PatientID = 'INVENTED^PIXELS', 'PIXELS'
    ds.StudyDate, ds.StudyTime, ds.SeriesNumber, ds.InstanceNumber = '20261120', '120000', 1, 1
    ds.SeriesDescription = name
    ds.file_meta = FileMetaDataset()
    ds.file_meta.MediaStorageSOPClassUID, ds.file_meta.MediaStorageSOPInstanceUID = ds.SOPClassUID, sop
    ds.file_meta.TransferSyntaxUID = syntax
    ds.file_meta.ImplementationClassUID = '2.25.9'
    ds.is_little_endian, ds.is_implicit_VR = syntax != BIG, syntax == IMPLICIT
    ds.save_as(path(name), write_like_original=False)
    say(name, how, frames, of, pictures, overlaid)


def say(name, how=None, frames=(1,), of=None, pictures=None, overlaid=None):
    ds = pydicom.dcmread(path(name), stop_before_pixels=True, force=True)
    entries.append(dict(name=name, frames=list(frames), how=how, of=of, pictures=pictures, overlaid=overlaid, uids=[str(ds.StudyInstanceUID), str(ds.SeriesInstanceUID), str(ds.SOPInstanceUID)], shape=shape(ds)))


def shape(ds):
    """Height and width of a pixel, of any unit (PS3.3 C.7.6.3.1.7, 10.7.1)."""
    spacing = ds.get('PixelSpacing') or ds.get('ImagerPixelSpacing') or ds.get('NominalScannedPixelSpacing') or ds.get('PixelAspectRatio')
    return [float(spacing[0]), float(spacing[1])] if spacing else [1, 1]


def image(values, allocated=16, stored=None, high=None, sign=0, photometric='MONOCHROME2', sop=SC, modality='OT', w=W, h=H, samples=1, planar=0,
          frames=None, order='<', **more):
    ds = Dataset()
    ds.SOPClassUID, ds.Modality = sop, modality
    ds.Rows, ds.Columns, ds.SamplesPerPixel, ds.PhotometricInterpretation = h, w, samples, photometric
    stored = allocated if stored is None else stored
    ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = allocated, stored, stored - 1 if high is None else high, sign
    if samples > 1:
        ds.PlanarConfiguration = planar
    if frames:
        ds.NumberOfFrames = frames
    if isinstance(values, bytes):
        data = values
    else:
        mask = (1 << allocated) - 1
        shift = ds.HighBit - stored + 1
        data = packed([((v << shift) & mask) if shift else v for v in values] if shift else values, allocated, 0 if shift else sign, order)
    ds.add_new(0x7fe00010, 'OB' if allocated <= 8 and order == '<' else 'OW', data)
    for keyword, value in more.items():
        setattr(ds, keyword, value)
    return ds


def window(center, width, **more):
    return dict(WindowCenter=center, WindowWidth=width, **more)


def table(numbers, first, bits, tag='VOI', signed=False):
    item = Dataset()
    item.add_new(0x00283002, 'SS' if signed else 'US', [len(numbers) & 0xffff, first, bits])
    item.LUTExplanation = 'NORMAL'
    if tag == 'modality':
        item.ModalityLUTType = 'US'
        del item.LUTExplanation
    item.add_new(0x00283006, 'OW', packed(numbers, 16))
    return Sequence([item])


def pnm(name, levels, w=W, h=H):
    """A picture by the formulas of the standard: grey levels, or RGB triples."""
    colour = len(levels) == 3 * w * h
    with open(path(name, 'pnm'), 'wb') as f:
        f.write(b'%s\n%d %d\n255\n' % (b'P6' if colour else b'P5', w, h) + bytes(int(max(0, min(255, round(v)))) for v in levels))
    return path(name, 'pnm')


def linear(values, c, w):
    """PS3.3 C.11.2.1.2.1."""
    low, high = c - 0.5 - (w - 1) / 2, c - 0.5 + (w - 1) / 2
    return [0 if x <= low else 255 if x > high else ((x - (c - 0.5)) / (w - 1) + 0.5) * 255 for x in values]


def exact(values, c, w):
    """PS3.3 C.11.2.1.3.2."""
    return [0 if x <= c - w / 2 else 255 if x > c + w / 2 else ((x - c) / w + 0.5) * 255 for x in values]


WI, WL = ['+Wi', '1'], ['+Wl', '1']
U8, U12, U16, S16 = ramp(0, 255), ramp(0, 4095), ramp(0, 65535), ramp(-32768, 32767)


def grey():
    write('grey-u8', image(U8, 8))
    write('grey-u8-window', image(U8, 8, **window(100, 120)), how=WI)
    write('grey-s8', image(ramp(-128, 127), 8, sign=1, **window(0, 256)), how=WI)
    write('grey-u4-in-8', image(ramp(0, 15), 8, stored=4, **window(8, 16)), how=WI)
    for bits in (9, 10, 12, 14, 15):
        write('grey-u%d' % bits, image(ramp(0, 2 ** bits - 1), 16, stored=bits, **window(2 ** (bits - 1), 2 ** bits)), how=WI)
    write('grey-u12-high-15', image(U12, 16, stored=12, high=15, **window(2048, 4096)), how=WI)
    write('grey-s12-high-13', image(ramp(-2048, 2047), 16, stored=12, high=13, sign=1, **window(0, 4096)), how=WI)
    write('grey-u16', image(U16, 16, **window(32768, 65536)), how=WI)
    write('grey-s16', image(S16, 16, sign=1, **window(0, 65536)), how=WI)
    write('grey-s12', image(ramp(-2048, 2047), 16, stored=12, sign=1, **window(100, 1500)), how=WI)
    write('grey-u32', image(ramp(0, 2 ** 32 - 1), 32, **window(2 ** 31, 2 ** 32)), how=WI)
    write('grey-s32', image(ramp(-2 ** 31, 2 ** 31 - 1), 32, sign=1, **window(0, 2 ** 32)), how=WI)
    write('grey-u24-in-32', image(ramp(0, 2 ** 24 - 1), 32, stored=24, **window(2 ** 23, 2 ** 24)), how=WI)
    write('grey-u12-automatic', image(U12, 16, stored=12))
    write('grey-s16-automatic', image(S16, 16, sign=1))
    write('mono1-u8', image(U8, 8, photometric='MONOCHROME1', **window(128, 256)), how=WI)
    write('mono1-u12', image(U12, 16, stored=12, photometric='MONOCHROME1', **window(1500, 2500)), how=WI)
    write('mono1-s16', image(S16, 16, sign=1, photometric='MONOCHROME1', **window(0, 65536)), how=WI)
    # Bits beside the stored ones that are no overlay.
    dirt = [v | ((n * 7 % 16) << 12) for n, v in enumerate(U12)]
    dirty = image(packed(dirt, 16), 16, stored=12, **window(2048, 4096))
    write('grey-u12-dirty', dirty, how=WI)
    big = ramp(0, 4095, 611, 457)
    write('grey-u12-large', image(big, 16, stored=12, w=611, h=457, **window(2048, 4096)), how=WI)
    write('grey-u8-tall', image(ramp(0, 255, 31, 401), 8, w=31, h=401, **window(128, 256)), how=WI)
    write('grey-u8-one-pixel', image(bytes([200, 0]), 8, w=1, h=1, **window(128, 256)), how=WI)


def bits():
    squares = [(x // 5 + y // 3) % 2 for y in range(H) for x in range(W)]
    few = [1 if x == 7 and y < 9 else 0 for y in range(H) for x in range(W)]
    def one(values, frames=None, **more):
        return image(values, 1, stored=1, high=0, sop=MULTI_BIT, frames=frames, **more)
    for name, values in (('bits', squares), ('bits-few', few), ('bits-all', [1] * (W * H)), ('bits-none', [0] * (W * H))):
        write(name, one(values), pictures=[pnm(name, [255 * v for v in values])])
    write('bits-mono1', one(squares, photometric='MONOCHROME1'), pictures=[pnm('bits-mono1', [255 - 255 * v for v in squares])])
    three = squares + few + [1 - v for v in squares]
    write('bits-3-frames', one(three, 3), frames=(1, 2, 3), pictures=[pnm('bits-3-frames-%d' % n, [255 * v for v in three[n * W * H:(n + 1) * W * H]]) for n in range(3)])
    write('two-values', image([v * 1000 for v in squares], 16), pictures=[pnm('two-values', [255 * v for v in squares])])
    write('two-values-few', image([v * 1000 - 500 for v in few], 16, sign=1), pictures=[pnm('two-values-few', [255 * v for v in few])])
    write('two-values-u8', image([v * 255 for v in squares], 8), pictures=[pnm('two-values-u8', [255 * v for v in squares])])
    write('window-of-1', image(squares, 8, **window(1, 1)), how=WI)
    write('window-of-1-ramp', image(U8, 8, **window(100.5, 1)), how=WI)
    write('window-of-2', image(U8, 8, **window(100, 2)), how=WI)


def values():
    hu = ramp(0, 4095)
    rescale = dict(RescaleSlope=1, RescaleIntercept=-1024, RescaleType='HU', ImageType=['ORIGINAL', 'PRIMARY', 'AXIAL'])
    write('ct-window', image(hu, 16, stored=12, sop=CT, modality='CT', **window(40, 400), **rescale), how=WI)
    write('ct-no-window', image(hu, 16, stored=12, sop=CT, modality='CT', **rescale), how=['+Ww', '40', '400'])
    write('ct-two-windows', image(hu, 16, stored=12, sop=CT, modality='CT', **window([-600, 40], [1500, 400]), **rescale), how=WI)
    write('ct-padding', image([-2000 if n % W < 6 else v - 1000 for n, v in enumerate(ramp(0, 2000))], 16, sign=1, sop=CT, modality='CT', PixelPaddingValue=-2000, **window(0, 2000), **{**rescale, 'RescaleIntercept': 0}), how=WI)
    write('slope-fraction', image(U12, 16, stored=12, RescaleSlope='0.5', RescaleIntercept='-3.25', **window(1000, 1800)), how=WI)
    write('slope-negative', image(U12, 16, stored=12, RescaleSlope=-1, RescaleIntercept=4095, **window(2048, 4096)), how=WI)
    write('slope-small-window', image(U12, 16, stored=12, RescaleSlope='0.01', RescaleIntercept=0, **window(20, 12)),
          # DCMTK makes whole numbers of the values after rescale.
          pictures=[pnm('slope-small-window', linear([v * 0.01 for v in U12], 20, 12))])
    write('pet-suv', image(U16, 16, sop=PET, modality='PT', Units='BQML', RescaleSlope='0.75', RescaleIntercept=0, **window(15000, 30000)), how=WI)
    write('window-exact', image(U8, 8, VOILUTFunction='LINEAR_EXACT', **window(100, 50)), pictures=[pnm('window-exact', exact(U8, 100, 50))])
    write('window-exact-narrow', image(U8, 8, VOILUTFunction='LINEAR_EXACT', **window(100.25, 0.5)), pictures=[pnm('window-exact-narrow', exact(U8, 100.25, 0.5))])
    write('window-sigmoid', image(U12, 16, stored=12, VOILUTFunction='SIGMOID', **window(2048, 1600)), how=WI)
    write('window-sigmoid-mono1', image(U12, 16, stored=12, photometric='MONOCHROME1', VOILUTFunction='SIGMOID', **window(2048, 1600)), how=WI)
    write('window-sigmoid-u8', image(U8, 8, VOILUTFunction='SIGMOID', **window(128, 100)), how=WI)
    write('pls-inverse', image(U12, 16, stored=12, PresentationLUTShape='INVERSE', **window(2048, 4096)), how=WI)
    write('pls-identity', image(U12, 16, stored=12, PresentationLUTShape='IDENTITY', **window(2048, 4096)), how=WI)
    write('pls-inverse-mono1', image(U12, 16, stored=12, sop=DX, modality='DX', photometric='MONOCHROME1', PresentationLUTShape='INVERSE', **window(2048, 4096)), how=WI)
    write('pls-identity-mono1', image(U12, 16, stored=12, photometric='MONOCHROME1', PresentationLUTShape='IDENTITY', **window(2048, 4096)), how=WI)
    singles = [math.sin(n / 50) for n in range(W * H)]
    def real(name, data, tag, vr, allocated):
        ds = image(b'', allocated, **window(0, 2, VOILUTFunction='LINEAR_EXACT'))
        del ds.PixelData, ds.BitsStored, ds.HighBit, ds.PixelRepresentation
        ds.add_new(tag, vr, data)
        write(name, ds, pictures=[pnm(name, exact(singles, 0, 2))])
    real('float', struct.pack('<%df' % (W * H), *singles), 0x7fe00008, 'OF', 32)
    real('double', struct.pack('<%dd' % (W * H), *singles), 0x7fe00009, 'OD', 64)
    dose = ramp(0, 2 ** 20)
    write('dose', image(dose, 32, sop='1.2.840.10008.5.1.4.1.1.481.2', modality='RTDOSE', DoseUnits='GY', DoseGridScaling='0.00005', **window(26, 52, VOILUTFunction='LINEAR_EXACT')),
          pictures=[pnm('dose', exact([v * 0.00005 for v in dose], 26, 52))])


def tables():
    root = lambda count, most: [int(most * (n / (count - 1)) ** 0.5) for n in range(count)]
    def voi(name, values, lut, **more):
        write(name, image(values, **more, VOILUTSequence=lut), how=WL)
    voi('voi-lut-8', U8, table(root(256, 255), 0, 8), allocated=8)
    voi('voi-lut-12', U12, table(root(4096, 4095), 0, 12), allocated=16, stored=12)
    voi('voi-lut-16', U12, table(root(4096, 65535), 0, 16), allocated=16, stored=12)
    voi('voi-lut-part', U12, table(root(1000, 4095), 1500, 12), allocated=16, stored=12)
    voi('voi-lut-signed', ramp(-1000, 1000), table(root(2001, 4095), -1000, 12, signed=True), allocated=16, sign=1)
    voi('voi-lut-mono1', U12, table(root(4096, 4095), 0, 12), allocated=16, stored=12, photometric='MONOCHROME1')
    voi('voi-lut-steps', U12, table([4095 if (n // 512) % 2 else 0 for n in range(4096)], 0, 12), allocated=16, stored=12)
    voi('voi-lut-and-window', U12, table(root(4096, 4095), 0, 12), allocated=16, stored=12, **window(2048, 4096))
    write('voi-lut-rescaled', image(U12, 16, stored=12, RescaleSlope=2, RescaleIntercept=-100, VOILUTSequence=table(root(8192, 4095), -100, 12, signed=True)), how=WL)
    modality = table([n * n // 4096 for n in range(4096)], 0, 16, 'modality')
    write('modality-lut', image(U12, 16, stored=12, ModalityLUTSequence=modality, **window(2048, 4096)), how=WI)
    write('modality-lut-signed', image(ramp(-500, 500), 16, sign=1, ModalityLUTSequence=table([n * 3 for n in range(1001)], -500, 16, 'modality', signed=True), **window(1500, 3000)), how=WI)
    write('modality-and-voi-lut', image(U12, 16, stored=12, ModalityLUTSequence=modality, VOILUTSequence=table(root(4096, 4095), 0, 12)), how=WL)


def overlay(ds, group, w=W, h=H, origin=(1, 1), kind='G', data=None, **more):
    base = group << 16
    ds.add_new(base + 0x10, 'US', h)
    ds.add_new(base + 0x11, 'US', w)
    ds.add_new(base + 0x40, 'CS', kind)
    ds.add_new(base + 0x50, 'SS', list(origin))
    ds.add_new(base + 0x100, 'US', more.get('allocated', 1))
    ds.add_new(base + 0x102, 'US', more.get('bit', 0))
    if 'frames' in more:
        ds.add_new(base + 0x15, 'IS', more['frames'])
        ds.add_new(base + 0x51, 'US', more.get('first', 1))
    if data is not None:
        ds.add_new(base + 0x3000, more.get('vr', 'OW'), data)
    return ds


def overlays():
    def plane(w=W, h=H, turn=0):
        return [1 if (x + y + turn) % 9 == 0 or x == 3 + turn or y == 5 else 0 for y in range(h) for x in range(w)]
    def grey(**more):
        return image(U12, 16, stored=12, **window(2048, 4096), **more)
    write('overlay', overlay(grey(), 0x6000, data=packed(plane(), 1)), how=WI)
    write('overlay-ob', overlay(grey(), 0x6000, data=packed(plane(), 1), vr='OB'), how=WI)
    write('overlay-roi', overlay(grey(), 0x6000, kind='R', data=packed([1 if 9 < n % W < 22 else 0 for n in range(W * H)], 1)), how=WI)
    write('overlay-part', overlay(grey(), 0x6000, 20, 11, (7, 19), data=packed(plane(20, 11), 1)), how=WI)
    write('overlay-beyond', overlay(grey(), 0x6000, 30, 30, (-5, 30), data=packed(plane(30, 30), 1)), how=WI)
    write('overlay-two', overlay(overlay(grey(), 0x6000, data=packed(plane(), 1)), 0x6002, data=packed(plane(turn=4), 1)), how=WI)
    write('overlay-group-601e', overlay(grey(), 0x601e, data=packed(plane(), 1)), how=WI)
    write('overlay-mono1', overlay(grey(photometric='MONOCHROME1'), 0x6000, data=packed(plane(), 1)), how=WI)
    rgb = [c for v in U8 for c in (v, 255 - v, 60)]
    # DCMTK draws no overlays on colours.
    above = [c for n, one in enumerate(plane()) for c in ((255, 255, 255) if one else rgb[n * 3:n * 3 + 3])]
    write('overlay-rgb', overlay(image(rgb, 8, photometric='RGB', samples=3), 0x6000, data=packed(plane(), 1)), pictures=[pnm('overlay-rgb', rgb)], overlaid=[pnm('overlay-rgb-above', above)])
    def embedded(bit, stored=12, sign=0, low=0, high=4095, lift=0):
        values = ramp(low, high)
        mask = ((1 << stored) - 1) << lift
        data = packed([((v << lift) & mask) | (one << bit) for v, one in zip(values, plane())], 16)
        ds = image(data, 16, stored=stored, high=stored - 1 + lift, sign=sign, **window((low + high + 1) // 2, high - low + 1))
        return overlay(ds, 0x6000, allocated=16, bit=bit)
    write('overlay-embedded-12', embedded(12), how=WI)
    write('overlay-embedded-15', embedded(15), how=WI)
    write('overlay-embedded-signed', embedded(14, sign=1, low=-2048, high=2047), how=WI)
    write('overlay-embedded-low', embedded(1, lift=4), how=WI)
    two = embedded(12)
    two.PixelData = packed([v | (p << 13) for v, p in zip(struct.unpack('<%dH' % (W * H), two.PixelData), plane(turn=5))], 16)
    write('overlay-embedded-two', overlay(two, 0x6002, allocated=16, bit=13), how=WI)
    frames = ramp(0, 4095) + ramp(0, 4095, turn=1) + ramp(0, 4095)
    several = image(frames, 16, stored=12, frames=3, sop=MULTI_BYTE, **window(2048, 4096))
    write('overlay-3-frames', overlay(several, 0x6000, frames=3, data=packed(plane() + plane(turn=3) + plane(turn=6), 1)), how=WI, frames=(1, 2, 3))
    some = image(frames, 16, stored=12, frames=3, sop=MULTI_BYTE, **window(2048, 4096))
    write('overlay-frame-2', overlay(some, 0x6000, frames=1, first=2, data=packed(plane(), 1)), how=WI, frames=(1, 2, 3))
    all_frames = image(frames, 16, stored=12, frames=3, sop=MULTI_BYTE, **window(2048, 4096))
    write('overlay-all-frames', overlay(all_frames, 0x6000, data=packed(plane(), 1)), how=WI, frames=(1, 3))


def colours():
    rgb = [c for v, t in zip(U8, ramp(0, 255, turn=1)) for c in (v, 255 - t, (v * 3) % 256)]
    planes = rgb[0::3] + rgb[1::3] + rgb[2::3]
    def colour(values, photometric='RGB', **more):
        return image(values, **{'allocated': 8, 'samples': 3, 'photometric': photometric, **more})
    write('rgb', colour(rgb))
    write('rgb-planes', colour(planes, planar=1))
    for bits in (16, 32):
        wide = [v * (2 ** bits - 1) // 255 for v in rgb]
        write('rgb-%d' % bits, colour(wide, allocated=bits))
        write('rgb-%d-planes' % bits, colour(wide[0::3] + wide[1::3] + wide[2::3], allocated=bits, planar=1))
    write('rgb-12-in-16', colour([v * 4095 // 255 for v in rgb], allocated=16, stored=12))
    def ybr(r, g, b):
        return [max(0, min(255, round(v))) for v in (0.299 * r + 0.587 * g + 0.114 * b, -0.168736 * r - 0.331264 * g + 0.5 * b + 128, 0.5 * r - 0.418688 * g - 0.081312 * b + 128)]
    def back(values):
        """PS3.3 C.7.6.3.1.2. DCMTK truncates each summand, and is up to 2 levels away."""
        return [c for n in range(0, len(values), 3) for y, b, r in [values[n:n + 3]]
                for c in (y + 1.402 * (r - 128), y - 0.344136 * (b - 128) - 0.714136 * (r - 128), y + 1.772 * (b - 128))]
    full = [c for n in range(W * H) for c in ybr(*rgb[n * 3:n * 3 + 3])]
    write('ybr-full', colour(full, 'YBR_FULL'), pictures=[pnm('ybr-full', back(full))])
    write('ybr-full-planes', colour(full[0::3] + full[1::3] + full[2::3], 'YBR_FULL', planar=1), pictures=[pnm('ybr-full-planes', back(full))])
    # Of an even number of columns, since two pixels share their chrominance.
    w = W + 1
    wide = [ybr(*c) for c in ((v, 255 - v, 90) for v in ramp(0, 255, w))]
    pairs = [c for n in range(0, w * H, 2) for c in (wide[n][0], wide[n + 1][0], wide[n][1], wide[n][2])]
    shared = lambda pairs: [c for n in range(0, len(pairs), 4) for y in pairs[n:n + 2] for c in (y, pairs[n + 2], pairs[n + 3])]
    write('ybr-full-422', colour(pairs, 'YBR_FULL_422', w=w), pictures=[pnm('ybr-full-422', back(shared(pairs)), w)])
    small = [c for n in range(0, w * H, 2) for c in (16 + wide[n][0] * 219 // 255, 16 + wide[n + 1][0] * 219 // 255, 16 + wide[n][1] * 224 // 255, 16 + wide[n][2] * 224 // 255)]
    # From 16 to 235, and to 240 (PS3.3 C.7.6.3.1.2).
    whole = [(v - 16) * 255 / 219 if n % 3 == 0 else (v - 128) * 255 / 224 + 128 for n, v in enumerate(shared(small))]
    write('ybr-partial-422', colour(small, 'YBR_PARTIAL_422', w=w), pictures=[pnm('ybr-partial-422', back(whole), w)])
    write('hsv', colour(rgb, 'HSV'))
    write('cmyk', colour([c for v in U8 for c in (v, 255 - v, 40, 10)], 'CMYK', samples=4))
    write('argb', colour([c for v in U8 for c in (0, v, 255 - v, 40)], 'ARGB', samples=4))
    def palette(ds, red, green, blue, first=0, bits=16, width=16, segmented=False, signed=False):
        for name, numbers in (('Red', red), ('Green', green), ('Blue', blue)):
            tag = {'Red': 1, 'Green': 2, 'Blue': 3}[name]
            ds.add_new(0x00281100 + tag, 'SS' if signed else 'US', [(256 if segmented else len(numbers)) & 0xffff, first, bits])
            ds.add_new(0x00281220 + tag if segmented else 0x00281200 + tag, 'OW', packed(numbers, width))
        return ds
    r16, g16, b16 = [n * 257 for n in range(256)], [65535 - n * 257 for n in range(256)], [(n * 3 % 256) * 257 for n in range(256)]
    r8, g8, b8 = list(range(256)), [255 - n for n in range(256)], [n * 3 % 256 for n in range(256)]
    plain = lambda values=U8, **more: image(values, **{'allocated': 8, 'photometric': 'PALETTE COLOR', **more})
    write('palette-16', palette(plain(), r16, g16, b16))
    write('palette-8-packed', palette(plain(), r8, g8, b8, bits=8, width=8))
    write('palette-8-in-words', palette(plain(), r8, g8, b8, bits=8))
    write('palette-first-50', palette(plain(), r16[:100], g16[:100], b16[:100], first=50))
    write('palette-of-16-bits', palette(plain(ramp(0, 4095), allocated=16, stored=12), *[[v // 16 * 257 if c == 0 else (4095 - v) * 16 if c == 1 else v * 8 for v in range(4096)] for c in range(3)]))
    # PS3.3 C.7.9.2, which DCMTK does not read: a value, and a line to another one.
    lines = [0, 1, 0, 1, 255, 65535], [0, 1, 65535, 1, 255, 0], [0, 2, 0, 100, 1, 254, 30000]
    segmented = [c for v in U8 for c in (v * 257 >> 8, (255 - v) * 257 >> 8, (round(100 + (30000 - 100) * (v - 1) / 254) if v else 0) >> 8)]
    write('palette-segmented', palette(plain(), *lines, segmented=True), pictures=[pnm('palette-segmented', segmented)])
    write('palette-4-bits', palette(plain(ramp(0, 15), stored=4), r16[::17], g16[::17], b16[::17]))


def shapes():
    for name, ratio in (('aspect-2-1', ['2', '1']), ('aspect-1-2', ['1', '2']), ('aspect-6-5', ['6', '5'])):
        write(name, image(U8, 8, PixelAspectRatio=ratio, **window(128, 256)), how=WI)
    write('spacing-2-1', image(U8, 8, sop=CT, modality='OT', PixelSpacing=['2', '1'], **window(128, 256)), how=WI)
    write('spacing-equal', image(U8, 8, sop=DX, modality='DX', ImagerPixelSpacing=['0.14', '0.14'], **window(128, 256)), how=WI)


def frames():
    three = ramp(0, 4095) + ramp(0, 4095, turn=1) + [4095 - v for v in ramp(0, 4095)]
    write('frames-u12', image(three, 16, stored=12, frames=3, sop=MULTI_BYTE, **window(2048, 4096)), how=WI, frames=(1, 2, 3))
    rgb = [c for v in three for c in (v // 16, 255 - v // 16, 90)]
    write('frames-rgb', image(rgb, 8, frames=3, photometric='RGB', samples=3, sop='1.2.840.10008.5.1.4.1.1.7.4'), frames=(1, 3))
    # Enhanced multi-frame: rescale and window of each frame (PS3.3 C.7.6.16.2).
    def group(slope, intercept, c, w, z=0.0, **more):
        item = Dataset()
        transformation, voi = Dataset(), Dataset()
        transformation.RescaleSlope, transformation.RescaleIntercept, transformation.RescaleType = slope, intercept, 'US'
        voi.WindowCenter, voi.WindowWidth = c, w
        item.PixelValueTransformationSequence, item.FrameVOILUTSequence = Sequence([transformation]), Sequence([voi])
        position = Dataset()
        position.ImagePositionPatient = [0, 0, z]
        item.PlanePositionSequence = Sequence([position])
        for keyword, value in more.items():
            setattr(item, keyword, value)
        return item
    looks = ((1, 0, 2048, 4096), (2, -1000, 1000, 3000), (1, -1024, 40, 400))
    ds = image(three, 16, stored=12, frames=3, sop=ENHANCED_CT, modality='CT')
    ds.SharedFunctionalGroupsSequence = Sequence([Dataset()])
    ds.PerFrameFunctionalGroupsSequence = Sequence([group(*look, z=float(n)) for n, look in enumerate(looks)])
    pictures = [pnm('enhanced-ct-%d' % n, linear([v * m + b for v in three[n * W * H:(n + 1) * W * H]], c, w)) for n, (m, b, c, w) in enumerate(looks)]
    write('enhanced-ct', ds, frames=(1, 2, 3), pictures=pictures)
    shared = image(three, 16, stored=12, frames=3, sop=ENHANCED_MR, modality='MR')
    shared.SharedFunctionalGroupsSequence = Sequence([group(1, 0, 1500, 2000)])
    shared.PerFrameFunctionalGroupsSequence = Sequence([Dataset() for _ in range(3)])
    write('enhanced-mr-shared', shared, frames=(1, 3), pictures=[pnm('enhanced-mr-shared-%d' % n, linear(three[n * W * H:(n + 1) * W * H], 1500, 2000)) for n in (0, 2)])
    # PS3.3 C.7.6.19: values above Largest Monochrome Pixel Value are colours.
    pixels = [v if (n % W) < 30 else 4096 + (n % W) * 5 for n, v in enumerate(ramp(0, 4095))]
    reds, greens, blues = [n * 256 for n in range(256)], [65535 - n * 256 for n in range(256)], [20000] * 256
    ds = image(pixels, 16, sop=ENHANCED_MR, modality='MR', PixelPresentation='COLOR', **window(2048, 4096))
    for tag, numbers in ((1, reds), (2, greens), (3, blues)):
        ds.add_new(0x00281100 + tag, 'US', [256, 4096, 16])
        ds.add_new(0x00281200 + tag, 'OW', packed(numbers, 16))
    ds.add_new(0x00289099, 'US', 4095)
    grey = linear(pixels, 2048, 4096)
    def coloured(v, level):
        return [level] * 3 if v < 4096 else [(reds[v - 4096]) >> 8, greens[v - 4096] >> 8, blues[v - 4096] >> 8]
    picture = [c for v, level in zip(pixels, grey) for c in coloured(v, level)]
    write('supplemental-palette', ds, pictures=[pnm('supplemental-palette', picture)])


def syntaxes():
    """The same pixels as other bytes: DCMTK draws the file that they are from, but of lossy ones the file itself."""
    bases = {'u8': image(U8, 8, **window(128, 256)), 'u12': image(U12, 16, stored=12, **window(2048, 4096)), 'u16': image(U16, 16, **window(32768, 65536)),
             's16': image(S16, 16, sign=1, **window(0, 65536)), 's12': image(ramp(-2048, 2047), 16, stored=12, sign=1, **window(0, 4096)),
             'mono1': image(U12, 16, stored=12, photometric='MONOCHROME1', **window(2048, 4096)),
             'rgb': image([c for v, t in zip(U8, ramp(0, 255, turn=1)) for c in (v, 255 - t, 255 - v)], 8, photometric='RGB', samples=3),
             'frames': image(ramp(0, 4095) + [4095 - v for v in U12], 16, stored=12, frames=2, sop=MULTI_BYTE, **window(2048, 4096)),
             'overlay': overlay(image([v | ((1 if n % 7 == 0 else 0) << 12) for n, v in enumerate(U12)], 16, **window(2048, 4096)), 0x6000, allocated=16, bit=12)}
    bases['overlay'].BitsStored, bases['overlay'].HighBit = 12, 11
    def how(base):
        return None if base == 'rgb' else WI
    for base, ds in bases.items():
        write('native-' + base, ds, how=how(base), frames=(1, 2) if base == 'frames' else (1,))
    # Where the header and a codestream disagree on the sign, the header's is taken.
    write('signs-as-signed', image(packed(U12, 16), 16, stored=12, sign=1, **window(0, 4096)), how=WI)
    write('signs-as-unsigned', image(packed([v & 4095 for v in ramp(-2048, 2047)], 16), 16, stored=12, **window(2048, 4096)), how=WI)
    def derive(name, base, command, own=False, numbers=None):
        """`command` gets the paths of both files; `own`: the picture is that of the new file."""
        source = path('native-' + base)
        target = path(name)
        run = subprocess.run([{'IN': source, 'OUT': target}.get(part, part) for part in command], capture_output=True)
        if run.returncode != 0 or not os.path.exists(target):
            raise SystemExit('%s: %s' % (name, run.stderr.decode(errors='replace')))
        own_uids(target, uids(len(entries)))
        say(name, how(base), numbers or ((1, 2) if base == 'frames' else (1,)), None if own else 'native-' + base)
    for base in bases:
        for short, option in (('implicit', '+ti'), ('big-endian', '+tb'), ('deflated', '+td')):
            # pydicom deflates it, since UIDs in deflated bytes cannot be replaced.
            if short == 'deflated':
                deflated(base, how(base))
            else:
                derive('%s-%s' % (short, base), base, ['dcmconv', option, 'IN', 'OUT'])
        derive('rle-' + base, base, ['dcmcrle', 'IN', 'OUT'])
        if base == 'overlay':
            continue
        derive('jpeg-lossless-' + base, base, ['dcmcjpeg', '+e1', '+un', 'IN', 'OUT'])
        derive('jpeg-lossless-57-' + base, base, ['dcmcjpeg', '+el', '+sv', '6', '+un', 'IN', 'OUT'])
        derive('jpeg-ls-' + base, base, ['dcmcjpls', '+el', '+un', 'IN', 'OUT'])
        # DCMTK refuses signed values.
        if base not in ('s12', 's16'):
            derive('jpeg-ls-near-' + base, base, ['dcmcjpls', '+en', '+md', '2', '+un', 'IN', 'OUT'], own=True)
        if shutil.which('gdcmconv'):
            if base != 'frames':
                derive('jpeg-2000-' + base, base, ['gdcmconv', '--j2k', 'IN', 'OUT'])
    for base in ('u8', 'rgb'):
        derive('jpeg-baseline-' + base, base, ['dcmcjpeg', '+eb', '+un', '+q', '95', 'IN', 'OUT'], own=True)
    for base in ('u12', 'mono1'):
        derive('jpeg-extended-' + base, base, ['dcmcjpeg', '+ee', '+un', '+q', '95', 'IN', 'OUT'], own=True)
    for name, words in (('444', ['+s4']), ('422', ['+s2']), ('of-rgb', ['+cr'])):
        derive('jpeg-baseline-rgb-' + name, 'rgb', ['dcmcjpeg', '+eb', '+un', '+q', '95', *words, 'IN', 'OUT'], own=True)
    derive('jpeg-progressive-u8', 'u8', ['dcmcjpeg', '+ep', '+un', 'IN', 'OUT'], own=True)
    derive('jpeg-spectral-u8', 'u8', ['dcmcjpeg', '+es', '+un', 'IN', 'OUT'], own=True)
    derive('quantised-rgb', 'rgb', ['dcmquant', '+pc', '64', 'IN', 'OUT'], own=True)
    derive('scaled-u12', 'u12', ['dcmscale', '+Sxf', '1.7', 'IN', 'OUT'], own=True)
    if shutil.which('gdcmconv'):
        for base in ('u8', 'u12', 'rgb'):
            derive('gdcm-jpeg-lossless-' + base, base, ['gdcmconv', '--jpeg', 'IN', 'OUT'])
            derive('gdcm-jpeg-ls-' + base, base, ['gdcmconv', '--jpegls', 'IN', 'OUT'])


def deflated(base, how):
    name = 'deflated-' + base
    ds = pydicom.dcmread(path('native-' + base))
    write(name, ds, DEFLATED, how, (1, 2) if base == 'frames' else (1,))


def own_uids(target, new):
    ds = pydicom.dcmread(target, stop_before_pixels=True, force=True)
    old = [str(ds.StudyInstanceUID), str(ds.SeriesInstanceUID), str(ds.SOPInstanceUID)]
    with open(target, 'rb') as f:
        data = f.read()
    if all(len(a) == len(b) for a, b in zip(old, new)):
        for a, b in zip(old, new):
            data = data.replace(a.encode(), b.encode())
        with open(target, 'wb') as f:
            f.write(data)
        return
    ds = pydicom.dcmread(target, force=True)
    ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.SOPInstanceUID = new
    ds.file_meta.MediaStorageSOPInstanceUID = new[2]
    ds.save_as(target)


def wrap():
    """Codestreams that somebody else has encoded, in the place of a file's pixels."""
    with open(os.path.join(folder, 'files.json')) as f:
        before = json.load(f)
    with open(os.path.join(folder, 'wraps.json')) as f:
        wraps = json.load(f)
    for n, one in enumerate(wraps):
        ds = pydicom.dcmread(path(one['base']))
        streams = [open(stream, 'rb').read() for stream in one['streams']]
        new = uids(len(before) + n)
        ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.SOPInstanceUID = new
        ds.file_meta.MediaStorageSOPInstanceUID, ds.file_meta.TransferSyntaxUID = new[2], one['syntax']
        ds.SeriesDescription = one['name']
        for keyword, value in one.get('header', {}).items():
            setattr(ds, keyword, value)
        ds.add_new(0x7fe00010, 'OB', encapsulate(streams))
        ds['PixelData'].is_undefined_length = True
        ds.is_little_endian, ds.is_implicit_VR = True, False
        # pydicom 2.3 refuses transfer syntaxes that it does not know.
        data = DicomBytesIO()
        data.is_little_endian, data.is_implicit_VR = True, False
        write_dataset(data, ds)
        with open(path(one['name']), 'wb') as f:
            f.write(b'\0' * 128 + b'DICM')
            write_file_meta_info(f, ds.file_meta)
            f.write(data.getvalue())
        base = next(entry for entry in before if entry['name'] == one['base'])
        say(one['name'], base['how'], base['frames'], one.get('of', one['base']))
    with open(os.path.join(folder, 'wrapped.json'), 'w') as f:
        json.dump(entries, f)


def pydicom_samples(source):
    """Each with UIDs of its own: some share theirs."""
    for n, file in enumerate(sorted(os.listdir(source))):
        try:
            ds = pydicom.dcmread(os.path.join(source, file))
            if 'PixelData' not in ds or not ds.get('SOPInstanceUID') or ds.Modality == 'SEG':
                continue
            syntax, count = str(ds.file_meta.TransferSyntaxUID), int(ds.get('NumberOfFrames') or 1)
        except Exception:
            continue
        name = 'pydicom-' + os.path.splitext(file)[0].replace('+', '-')
        shutil.copyfile(os.path.join(source, file), path(name))
        old = [str(ds.StudyInstanceUID), str(ds.SeriesInstanceUID), str(ds.SOPInstanceUID)]
        with open(path(name), 'rb') as f:
            data = f.read()
        if syntax != DEFLATED:
            for uid in set(old):
                new = '%s%03d' % (uid[:-3], 100 + n)
                for end in (b'\0', b'\\', b' ') if len(uid) % 2 else (b'',):
                    data = data.replace(uid.encode() + end, new.encode() + end)
        with open(path(name), 'wb') as f:
            f.write(data)
        how = WL if ds.get('VOILUTSequence') else WI if ds.get('WindowCenter') not in (None, '') else None
        of = None
        if syntax.startswith('1.2.840.10008.1.2.4.9'):
            if not shutil.which('gdcmconv') or subprocess.run(['gdcmconv', '--raw', path(name), path(name + '.raw')], capture_output=True).returncode:
                continue
            of = name + '.raw'
        say(name, how, (1, count) if count > 1 else (1,), of)
    with open(os.path.join(folder, 'samples.json'), 'w') as f:
        json.dump(entries, f)


if len(sys.argv) > 3:
    pydicom_samples(sys.argv[3])
elif len(sys.argv) > 2:
    wrap()
else:
    for part in (grey, bits, values, tables, overlays, colours, shapes, frames, syntaxes):
        part()
    with open(os.path.join(folder, 'files.json'), 'w') as f:
        json.dump(entries, f)
