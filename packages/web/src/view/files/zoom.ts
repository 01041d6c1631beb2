import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * How many times as large a picture is as at first, and how far it is from the middle, in pixels.
 */
type Zoom = { scale: number; x: number; y: number };
type Point = { x: number; y: number };

const whole: Zoom = { scale: 1, x: 0, y: 0 };
const largest = 8;

/** The factor of a key or a button, and the size after a double press. */
export const zoomStep = 1.5;
const closeUp = 2.5;

/** The most milliseconds and pixels between two presses of a double press. */
const doublePress = { time: 400, distance: 24 };

/**
 * A picture that keys, the wheel, a double press or two fingers make larger, and that is moved by a
 * pointer then.
 */
export function useZoom() {
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(whole);
  const pointers = useRef(new Map<number, Point>());
  const pressed = useRef<Point | undefined>(undefined);
  const lastPress = useRef<(Point & { at: number }) | undefined>(undefined);
  const isZoomed = zoom.scale > 1;

  /** Changes it within the edges. */
  const change = (make: (before: Zoom) => Zoom) =>
    setZoom((before) => {
      const { scale, x, y } = make(before);
      if (scale === 1 || !picture.current || !frame.current) return whole;
      const mostX = Math.max(0, (picture.current.offsetWidth * scale - frame.current.clientWidth) / 2);
      const mostY = Math.max(0, (picture.current.offsetHeight * scale - frame.current.clientHeight) / 2);
      return { scale, x: within(x, mostX), y: within(y, mostY) };
    });

  /** Keeps the point, or the middle, in place. */
  const zoomBy = (factor: number, point?: Point) =>
    change(({ scale: before, x, y }) => {
      const at = point && frame.current ? fromMiddle(frame.current, point) : { x: 0, y: 0 };
      const scale = Math.min(largest, Math.max(1, before * factor));
      return { scale, x: at.x - ((at.x - x) * scale) / before, y: at.y - ((at.y - y) * scale) / before };
    });

  const reset = () => setZoom(whole);

  // The frame is larger around a zoomed picture.
  useLayoutEffect(() => change((now) => now), [isZoomed]);

  /** Handles a press that was made `at` a time in milliseconds, perhaps before a busy moment. */
  const press = (point: Point, at: number) => {
    const last = lastPress.current;
    const isDouble = last && at - last.at < doublePress.time && distance(last, point) < doublePress.distance;
    lastPress.current = isDouble ? undefined : { ...point, at };
    if (isDouble && isZoomed) reset();
    else if (isDouble) zoomBy(closeUp, point);
  };

  const gestures = {
    onWheel: (event: WheelEvent) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
      // Browsers report a pinch on a touchpad as a wheel with Ctrl, in small steps.
      zoomBy(Math.exp(pixels * (event.ctrlKey ? -0.01 : -0.002)), pointOf(event));
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      frame.current?.setPointerCapture(event.pointerId);
      pressed.current = pointers.current.size === 0 ? pointOf(event) : undefined;
      pointers.current.set(event.pointerId, pointOf(event));
    },
    onPointerMove: (event: PointerEvent) => {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = pointOf(event);
      pointers.current.set(event.pointerId, now);
      const [other] = [...pointers.current].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]));
      if (other) zoomBy(distance(now, other) / Math.max(1, distance(before, other)), middleOf(now, other));
      const share = other ? 2 : 1;
      change(({ scale, x, y }) => ({ scale, x: x + (now.x - before.x) / share, y: y + (now.y - before.y) / share }));
    },
    onPointerUp: (event: PointerEvent) => {
      pointers.current.delete(event.pointerId);
      const point = pointOf(event);
      if (pressed.current && distance(pressed.current, point) < doublePress.distance) press(point, event.timeStamp);
      pressed.current = undefined;
    },
    onPointerCancel: (event: PointerEvent) => {
      pointers.current.delete(event.pointerId);
      pressed.current = undefined;
    },
    // The browser would drag the picture, and take the focus from the element with the keys.
    onMouseDown: (event: Event) => event.preventDefault(),
  };
  return { zoom, isZoomed, zoomBy, reset, frame, picture, gestures };
}

const within = (offset: number, most: number) => Math.min(most, Math.max(-most, offset));

const pointOf = ({ clientX, clientY }: MouseEvent): Point => ({ x: clientX, y: clientY });

const distance = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y);

const middleOf = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });

function fromMiddle(frame: HTMLElement, { x, y }: Point): Point {
  const { left, top, width, height } = frame.getBoundingClientRect();
  return { x: x - left - width / 2, y: y - top - height / 2 };
}
