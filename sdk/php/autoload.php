<?php

declare(strict_types=1);

// For programs without Composer: `require 'sdk/php/autoload.php';`.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Passerelle\\')) {
        $file = __DIR__ . '/src/' . substr($class, 11) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
