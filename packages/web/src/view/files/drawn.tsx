import { useEffect, useRef } from 'preact/hooks';
import { decodePicture } from '../../files/decode.ts';

/**
 * A picture from its bytes. Drawn, because an address of bytes in memory would have to be allowed
 * to all pictures of the page.
 */
export function Drawn({ bytes, alt = '' }: { bytes: Blob; alt?: string | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    void decodePicture(bytes).then(
      (picture) => {
        if (!canvas.current) return;
        canvas.current.width = picture.width;
        canvas.current.height = picture.height;
        canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
        picture.close();
      },
      () => {},
    );
  }, [bytes]);
  return <canvas ref={canvas} role={alt === '' ? undefined : 'img'} aria-label={alt || undefined} />;
}
