import { RequestMethod } from '@nestjs/common';
import { PATH_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';

/** Every route of the application, as `GET /v1/targets/:slug`, out of its controllers. */
export function servedRoutes(modules: ModulesContainer): string[] {
  const scanner = new MetadataScanner();
  const routes = new Set<string>();
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function') continue;
      const prototype = metatype.prototype as Record<string, object>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name];
        const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
        if (handler === undefined || method === undefined) continue;
        for (const prefix of pathsOf(metatype)) {
          for (const path of pathsOf(handler)) routes.add(`${RequestMethod[method]} ${joined(prefix, path)}`);
        }
      }
    }
  }
  return [...routes].sort();
}

function pathsOf(decorated: object): readonly string[] {
  const paths: unknown = Reflect.getMetadata(PATH_METADATA, decorated);
  return (Array.isArray(paths) ? paths : [paths]).map((path) => (typeof path === 'string' ? path : ''));
}

const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
