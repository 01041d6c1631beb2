import type { Request } from '@middy/core';
import { limits } from '../../api/limits.ts';
import { log } from '../../base/log.ts';
import { embeddedMetrics, requestEnded } from '../../base/metrics.ts';
import type { ApiEvent, ApiResponse, CallerField } from '../request.ts';

/**
 * The plugin that logs one line at the end of each request. The line has the route, because a path
 * or query may contain user input.
 */
export const accessLog = {
  requestEnd(request: Request): void {
    const { event, context, response, internal } = request as Request<ApiEvent & Partial<CallerField>, ApiResponse>;
    const { http } = event.requestContext;
    const milliseconds = Math.round((performance.now() - event.deadline + limits.requestTime) * 10) / 10;
    const ended = { function: context.functionName, method: http.method, status: response?.statusCode ?? 500, milliseconds };
    if (requestEnded.hasSubscribers) requestEnded.publish({ ...ended, refusal: (internal as { refusal?: string }).refusal });
    log('info', 'request', {
      request_id: event.requestId,
      method: http.method,
      route: routeOf(event),
      status: response?.statusCode,
      bytes: response?.body?.length ?? 0,
      milliseconds,
      user: event.caller?.user._id.toHexString(),
      source: http.sourceIp,
      ...embeddedMetrics(ended),
    });
  },
};

const routeOf = ({ routeKey = '' }: ApiEvent): string => routeKey.replace(/^\S+ /, '');
